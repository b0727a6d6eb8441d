import type { Tokens } from "./schema.ts"

export const NO_TOKENS: Tokens = { input: null, cache_read: null, cache_write: null, output: null }

const NAMES = ["input", "cache_read", "cache_write", "output"] as const

/** Combines two counts name by name; what only one of them knows is what that says. */
function combined(a: Tokens, b: Tokens, combine: (x: number, y: number) => number): Tokens {
  const of = (x: number | null, y: number | null) => (x === null ? y : y === null ? x : combine(x, y))
  return Object.fromEntries(NAMES.map((name) => [name, of(a[name], b[name])])) as Tokens
}

export function plus(a: Tokens, b: Tokens): Tokens {
  return combined(a, b, (x, y) => x + y)
}

/** The larger of each: two reports of the same work, of which either may lack some. */
export function larger(a: Tokens, b: Tokens): Tokens {
  return combined(a, b, Math.max)
}

/** The part of `after` that is not in `before`, which it contains; null where `after` knows nothing. */
export function growth(before: Tokens, after: Tokens): Tokens {
  const of = (name: keyof Tokens) => (after[name] === null ? null : after[name] - (before[name] ?? 0))
  return Object.fromEntries(NAMES.map((name) => [name, of(name)])) as Tokens
}

/** Whether a report says nothing of the input, or nothing of the output. */
export function isUnknown({ input, output }: Tokens): boolean {
  return input === null || output === null
}

/** The sum of all that is known. */
export function totalOf({ input, cache_read, cache_write, output }: Tokens): number {
  return (input ?? 0) + (cache_read ?? 0) + (cache_write ?? 0) + (output ?? 0)
}
