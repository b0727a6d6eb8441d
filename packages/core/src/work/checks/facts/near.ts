/**
 * Returns the first known name that is at most one edit away from `name`, or two edits if `name` has 9 or more
 * characters. Undefined if no known name is that close, or if `name` has fewer than 4 characters.
 */
export function nearOf(name: string, known: Iterable<string>): string | undefined {
  if (name.length < 4) return undefined
  const atMost = name.length < 9 ? 1 : 2
  for (const one of known) {
    if (Math.abs(one.length - name.length) <= atMost && slips(name, one) <= atMost) return one
  }
  return undefined
}

/** Returns the edit distance between two words, counting deletions, insertions, substitutions and transpositions. */
function slips(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return at(row, b.length)
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
