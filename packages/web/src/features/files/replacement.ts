/** One stretch of a text, and what comes in its place. */
export interface Replacement {
  from: number
  to: number
  insert: string
}

/** The shortest stretch that makes one text of another, so that whatever stands around it stays where it is. Null: none. */
export function replacementFor(before: string, after: string): Replacement | null {
  if (before === after) return null
  const shorter = Math.min(before.length, after.length)
  let from = 0
  while (from < shorter && before[from] === after[from]) from++
  let tail = 0
  while (tail < shorter - from && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  return { from, to: before.length - tail, insert: after.slice(from, after.length - tail) }
}
