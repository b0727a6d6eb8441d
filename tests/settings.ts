import { fileURLToPath } from "node:url"

/**
 * Time limit of a test in milliseconds, long enough for a machine that runs ten other jobs. A test sets its own limit
 * only if it tests that limit.
 */
export const LIMIT_MS = 300_000

/**
 * Time that a test polls for a condition, in milliseconds. Shorter than `LIMIT_MS`, so that the test can report the
 * actual value before the limit ends it.
 */
export const WAIT_MS = 240_000

/** Folder of Node's compile cache for programs that tests start. Compiling takes half of their startup time. */
export const COMPILED: string = fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url))

/** Signal for calls that need one. It never aborts, because the test's time limit ends the call. */
export const never: AbortSignal = new AbortController().signal

// `npm run test:deep` tries every case. `npm test` tries fewer, to finish quickly.
const isDeep = process.env.TEST_DEPTH === "deep"

/** Returns the number of cases to try. */
export function cases(count: { usual: number; deep: number }): number {
  return isDeep ? count.deep : count.usual
}

/** Returns all cases in the deep run. Otherwise returns `usual` of them, evenly spaced, including the first. */
export function someOf<T>(all: readonly T[], usual: number): T[] {
  if (isDeep || usual >= all.length) return [...all]
  return Array.from({ length: usual }, (_, index) => all[Math.floor((index * all.length) / usual)] as T)
}
