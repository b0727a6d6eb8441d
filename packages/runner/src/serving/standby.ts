import { isAppError } from "@switchyard/core/errors"
import { logName } from "@switchyard/core/kernel/keys"
import type { Launch } from "./launched-runs.ts"
import { type Parked, type ServeDeps, type Serving, serveSession } from "./serve-session.ts"

/**
 * Maximum number of the log's heartbeats, one every 15 seconds, until the machine is suspended. Normally, a worker
 * suspends the machine soon after its runner has parked. A suspension adds one heartbeat at most. Clocks can't measure
 * the time, because those of some machines go on during a suspension.
 */
const SUSPENDED_WITHIN_HEARTBEATS = 40

interface Turns extends Omit<Serving, "launches" | "after"> {
  launches: (options: { signal: AbortSignal }) => AsyncIterable<Launch>
}

/**
 * Serves a session. On a machine that can be suspended, serves the session again each time the session needs its
 * runner.
 */
export async function serveInTurns(
  deps: ServeDeps,
  { launches, ...serving }: Turns,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  for (let parked: Parked | undefined; ; ) {
    const over = new AbortController()
    const turn = { ...serving, launches: launches({ signal: AbortSignal.any([signal, over.signal]) }) }
    const after = parked?.generation
    parked = await serveSession(deps, { ...turn, after }, { signal }).catch((error) => {
      // Another runner claimed the session while this one was suspended.
      if (after !== undefined && isAppError(error, "run_superseded")) return undefined
      throw error
    })
    over.abort()
    if (!parked || !(await isNeededAgain(deps, serving.sid, parked, { signal }))) return
  }
}

/**
 * Waits on a machine that can be suspended until the session needs its runner again. Returns false if another runner
 * serves the session, the session was deleted, or the machine wasn't suspended in time.
 */
async function isNeededAgain(
  { log }: Pick<ServeDeps, "log">,
  sid: string,
  { generation, seq }: Parked,
  { signal }: { signal: AbortSignal },
): Promise<boolean> {
  let heartbeats = 0
  for await (const event of log.tail(logName(sid), seq, { signal })) {
    if (event.type === "runner_claimed" || event.type === "session_deleted") return false
    if (event.type === "runner_awaited" && event.generation > generation) return true
    if (event.type === "heartbeat" && ++heartbeats > SUSPENDED_WITHIN_HEARTBEATS) return false
  }
  return false
}
