import { retry } from "@switchyard/core/retry"

const ATTEMPTS = 20
const EVERY_MS = 1_500

const clock = { sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) }

/**
 * Imports a part of the studio, with retries: a short outage shouldn't replace the page with an error. Gives up after
 * half a minute, and once the server answers but hasn't the part, which a new version may have removed.
 */
export function retryImport<T>(load: () => Promise<T>): () => Promise<T> {
  let isThere = false
  const delayMs = (_: unknown, attempt: number) =>
    attempt + 1 >= ATTEMPTS || (isThere && attempt > 0) ? undefined : EVERY_MS
  const task = () =>
    load().catch(async (error) => {
      isThere = await studioAnswers()
      throw error
    })
  return () => retry(task, { delayMs, clock })
}

/** Whether the server that the page came from still serves the studio. */
export async function studioAnswers(): Promise<boolean> {
  const answer = await fetch("/", { method: "HEAD", cache: "no-store" }).catch(() => undefined)
  return answer?.ok ?? false
}
