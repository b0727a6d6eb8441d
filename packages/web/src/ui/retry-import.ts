import { retry } from "@switchyard/core/retry"

const ATTEMPTS = 20
const EVERY_MS = 1_500

const clock = { sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) }

/**
 * Imports a part of the studio, with retries: a short outage shouldn't replace the page with an error. Gives up after
 * half a minute, since a new version may have removed the part.
 */
export function retryImport<T>(load: () => Promise<T>): () => Promise<T> {
  const delayMs = (_: unknown, attempt: number) => (attempt + 1 < ATTEMPTS ? EVERY_MS : undefined)
  return () => retry(load, { delayMs, clock })
}
