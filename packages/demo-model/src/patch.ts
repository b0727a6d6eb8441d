/**
 * Applies the difference between two texts to the current text, preserving a person's edits elsewhere. Returns
 * undefined if the lines to change are gone or occur twice.
 */
export function patched(present: string, from: string, to: string): string | undefined {
  if (present === from) return to
  let lines: string[] | undefined = present.split("\n")
  for (const hunk of hunksOf(from.split("\n"), to.split("\n"))) lines = lines && applied(lines, hunk)
  return lines?.join("\n")
}

interface Hunk {
  old: string[]
  new: string[]
}

/** Returns the runs of differing lines, each with one line of context before and after. */
function hunksOf(from: string[], to: string[]): Hunk[] {
  const hunks: Hunk[] = []
  let a = 0
  let b = 0
  while (a < from.length || b < to.length) {
    if (a < from.length && from[a] === to[b]) {
      a += 1
      b += 1
      continue
    }
    const next = meeting(from, to, a, b)
    const before = a > 0 ? [from[a - 1] ?? ""] : []
    const after = next.a < from.length ? [from[next.a] ?? ""] : []
    hunks.push({
      old: [...before, ...from.slice(a, next.a), ...after],
      new: [...before, ...to.slice(b, next.b), ...after],
    })
    a = next.a
    b = next.b
  }
  return hunks
}

/** Returns the nearest position where both texts are equal again. */
function meeting(from: string[], to: string[], a: number, b: number): { a: number; b: number } {
  for (let distance = 1; a + b + distance <= from.length + to.length; distance += 1) {
    for (let skipped = 0; skipped <= distance; skipped += 1) {
      const x = a + skipped
      const y = b + distance - skipped
      const isEnd = x === from.length && y === to.length
      if (isEnd || (x < from.length && y < to.length && from[x] === to[y])) return { a: x, b: y }
    }
  }
  return { a: from.length, b: to.length }
}

function applied(lines: string[], { old, new: added }: Hunk): string[] | undefined {
  const places = lines.flatMap((_, at) => (old.every((line, index) => lines[at + index] === line) ? [at] : []))
  const [at] = places
  if (at === undefined || places.length > 1) return undefined
  return [...lines.slice(0, at), ...added, ...lines.slice(at + old.length)]
}
