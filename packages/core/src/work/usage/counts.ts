import type { Tokens } from "./schema.ts"

export const NO_TOKENS: Tokens = { input: null, cache_read: null, cache_write: null, output: null }

const NAMES = ["input", "cache_read", "cache_write", "output"] as const

/** Combines two reports count by count. If only one report contains a count, that count is used as it is. */
function combined(a: Tokens, b: Tokens, combine: (x: number, y: number) => number): Tokens {
  const of = (x: number | null, y: number | null) => (x === null ? y : y === null ? x : combine(x, y))
  return Object.fromEntries(NAMES.map((name) => [name, of(a[name], b[name])])) as Tokens
}

export function plus(a: Tokens, b: Tokens): Tokens {
  return combined(a, b, (x, y) => x + y)
}

/** Returns the larger value of each count, for two reports about the same work. Either report may lack counts. */
export function larger(a: Tokens, b: Tokens): Tokens {
  return combined(a, b, Math.max)
}

/** Returns the growth of each count since `before`. Null for counts that are null in `after`. */
export function growth(before: Tokens, after: Tokens): Tokens {
  const of = (name: keyof Tokens) => (after[name] === null ? null : after[name] - (before[name] ?? 0))
  return Object.fromEntries(NAMES.map((name) => [name, of(name)])) as Tokens
}

/** Returns true if a report lacks the input or output count. */
export function isUnknown({ input, output }: Tokens): boolean {
  return input === null || output === null
}

/** Returns the sum of all known counts. */
export function totalOf({ input, cache_read, cache_write, output }: Tokens): number {
  return (input ?? 0) + (cache_read ?? 0) + (cache_write ?? 0) + (output ?? 0)
}
