import { AppError } from "../../errors.ts"
import type { LogEvent } from "../../events.ts"
import { logName } from "../../kernel/keys.ts"
import type { Log } from "../../log/log.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { endsRun } from "./schema.ts"
import type { RunState } from "./state.ts"

/**
 * Yields the hydrated events of a run after `since`, until the run ends or the signal aborts. Yields "quiet" when there
 * are no new events.
 */
export async function* followRun(
  { log, blobs }: { log: Log; blobs: Blobs },
  sid: string,
  run: RunState,
  since: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<LogEvent | "quiet"> {
  if (run.lastSeq !== null && since >= run.lastSeq) return
  const from = Math.max(since, run.firstSeq - 1)
  for await (const event of log.tail(logName(sid), from, { signal })) {
    if (event.type === "heartbeat") {
      yield "quiet"
    } else if (event.type === "session_deleted") {
      return
    } else if (isOfRun(run, event)) {
      yield await hydrateEvent(blobs, event, { signal })
      if (event.run_id === run.runId && endsRun(event)) return
    }
  }
}

/**
 * Returns true if an event is shown with a run. Events shown with a coordinator's run include the workers' changes to
 * the team's board.
 */
export function isOfRun({ runId, kind }: Pick<RunState, "runId" | "kind">, event: LogEvent): boolean {
  return event.run_id === runId || (kind === "team" && event.type.startsWith("work_node_"))
}

/**
 * Waits for the event that ends the run and returns it. Returns undefined if the session is deleted or the signal
 * aborts first.
 */
export async function runEnd(
  deps: { log: Log; blobs: Blobs },
  sid: string,
  run: RunState,
  { signal }: { signal: AbortSignal },
): Promise<LogEvent | undefined> {
  const since = run.lastSeq === null ? run.firstSeq - 1 : run.lastSeq - 1
  for await (const event of followRun(deps, sid, run, since, { signal })) {
    if (event !== "quiet" && endsRun(event)) return event
  }
  return undefined
}

/** Parses a client's cursor, which is the `seq` of an event. Throws `validation_error` if the cursor isn't a number. */
export function parseCursor(text: string | undefined): number {
  if (text === undefined || text === "") return 0
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new AppError("validation_error", "The cursor must be the seq of an event.", { cursor: text.slice(0, 100) })
}
