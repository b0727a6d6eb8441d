import { SessionSettings, WarmAnswer, type WarmRequest, WarmTicket } from "@switchyard/core/agents/runner/warm-schema"
import { SETTINGS_NAME } from "@switchyard/core/agents/runner/warm-ticket"
import { backoffMs } from "@switchyard/core/concurrency/retry"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"

/** Settings of a task that was started before a session needs it. */
export const WarmSettings = z.object({
  /** Ticket that only permits polling. It works only for the first runner that uses it. */
  RUNNER_WARM: z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(WarmTicket),
  /** Key that decrypts only secrets sealed for this runner. */
  RUNNER_WARM_KEY: z.base64().transform((text) => new Uint8Array(Buffer.from(text, "base64"))),
})

/** Calls the function that assigns sessions to runners. Returns its unvalidated reply. */
export type AskForSession = (request: WarmRequest) => Promise<unknown>

/** Polling interval. Each poll invokes a function. */
const ASK_EVERY_MS = 2000
/** If there is no reply for this long, the stage has probably been removed. The runner then exits to save money. */
const ANSWERED_WITHIN_MS = 5 * 60_000

/**
 * Waits until the runner is assigned a session, and returns the session's settings. Returns undefined if the runner
 * isn't needed.
 */
export async function awaitSession(
  { RUNNER_WARM: warm, RUNNER_WARM_KEY: key }: z.infer<typeof WarmSettings>,
  { ask, executor, clock }: { ask: AskForSession; executor: string; clock: Clock },
  { signal }: { signal: AbortSignal },
): Promise<SessionSettings | undefined> {
  let failures = 0
  for (let answeredAt = clock.monotonic(); ; ) {
    signal.throwIfAborted()
    try {
      const { warm: told } = WarmAnswer.parse(await ask({ warm, executor }))
      if (told.now === "leave") return undefined
      if (told.now === "serve") {
        const opened = createSealer(key).open(
          warm.id,
          SETTINGS_NAME,
          new Uint8Array(Buffer.from(told.sealed, "base64")),
        )
        return SessionSettings.parse(JSON.parse(opened))
      }
      answeredAt = clock.monotonic()
      failures = 0
    } catch (error) {
      if (clock.monotonic() - answeredAt > ANSWERED_WITHIN_MS) throw error
      failures++
    }
    await clock.sleep(backoffMs(failures, ASK_EVERY_MS, 30_000), { signal })
  }
}
