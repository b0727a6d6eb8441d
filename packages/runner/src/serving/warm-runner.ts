import { SessionSettings, WarmAnswer, type WarmRequest, WarmTicket } from "@switchyard/core/agents/runner/warm-schema"
import { SETTINGS_NAME } from "@switchyard/core/agents/runner/warm-ticket"
import { backoffMs } from "@switchyard/core/retry"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { Clock } from "@switchyard/core/time"
import * as z from "zod"

/** Settings of a task that was started ahead. */
export const WarmSettings = z.object({
  /** Is of use for one question, and to the first runner that asks it. */
  RUNNER_WARM: z
    .string()
    .transform((text) => JSON.parse(text))
    .pipe(WarmTicket),
  /** Decrypts what is sealed for this runner, and nothing else. */
  RUNNER_WARM_KEY: z.base64().transform((text) => new Uint8Array(Buffer.from(text, "base64"))),
})

/** Asks the function that knows which runner serves what, and resolves to its answer, which isn't checked. */
export type AskForSession = (request: WarmRequest) => Promise<unknown>

/** Every question is an invocation. */
const ASK_EVERY_MS = 2000
/** After as long without an answer the stage is thought to be gone, and the runner, which costs money, goes too. */
const ANSWERED_WITHIN_MS = 5 * 60_000

/** Waits until this runner is told which session it serves, and resolves to its settings; undefined once it isn't needed. */
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
