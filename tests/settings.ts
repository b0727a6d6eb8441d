import { fileURLToPath } from "node:url"

/**
 * How long a test may take, in milliseconds, on a machine that is busy with ten others. The only limit there is: a test has
 * one of its own only where that limit is what it tests.
 */
export const LIMIT_MS = 300_000

/** How long a test waits until something is so. Less than the limit, so that it can still say what was the case instead. */
export const WAIT_MS = 240_000

/** The folder of Node's compile cache for programs that tests start: half of such a start is the compiling. */
export const COMPILED: string = fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url))

/** For what a test calls with a signal: the test's own limit ends it. */
export const never: AbortSignal = new AbortController().signal

// `npm run test:deep` tries everything; `npm test` as much of it as a person waits for.
const isDeep = process.env.TEST_DEPTH === "deep"

/** How many cases a test tries. */
export function cases(count: { usual: number; deep: number }): number {
  return isDeep ? count.deep : count.usual
}

/** The cases that a test tries of those which it lists: so many, spread evenly and the first among them, or all of them. */
export function someOf<T>(all: readonly T[], usual: number): T[] {
  if (isDeep || usual >= all.length) return [...all]
  return Array.from({ length: usual }, (_, index) => all[Math.floor((index * all.length) / usual)] as T)
}
