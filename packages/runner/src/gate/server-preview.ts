import { isAppError } from "@switchyard/core/errors"
import type { NewEvent } from "@switchyard/core/events"
import { logName } from "@switchyard/core/kernel/keys"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import {
  appendPreviewEvents,
  awaitsPreview,
  endedPreview,
  STOPPED,
  type WantedPreview,
  wantedPreview,
} from "@switchyard/core/work/preview/rules"
import { failure, type ServedPreview } from "./preview-server.ts"
import { type ShowPreviewDeps, showPreview } from "./show-preview.ts"

/** Serves a preview of the session's project. */
export interface ServerPreview {
  /** True if a server is starting or running. */
  readonly busy: boolean
  /**
   * Starts, replaces and stops the server as requested in the session log. Returns when the signal aborts and the
   * server has stopped.
   */
  serve(options: { signal: AbortSignal }): Promise<void>
}

export function createServerPreview(
  deps: ShowPreviewDeps,
  session: SessionLog,
  { generation, yielding }: { generation: number; yielding: AbortSignal | undefined },
): ServerPreview {
  const { clock, report } = deps
  const { sid } = session
  let current: { wanted: WantedPreview; over: AbortController; done: Promise<void> } | undefined

  /** Replaces the running server if the session log requests a different one. */
  async function follow(signal: AbortSignal): Promise<void> {
    const state = await session.catchUp({ signal })
    const wanted = wantedPreview(state, current?.wanted)
    if (!current && wanted && state.preview.stage === "requested" && !awaitsPreview(state, clock.now())) {
      const late = failure("No runner was available in time.")
      return append(wanted.requestSeq, endedPreview(wanted.version, late), { signal })
    }
    const isSame = wanted?.requestSeq === current?.wanted.requestSeq && wanted?.version === current?.wanted.version
    if (isSame && (wanted !== undefined || state.preview.stage !== "stopping")) return
    const before = current
    before?.over.abort()
    await before?.done
    if (wanted) return begin(wanted, signal)
    const { request } = state.preview
    const stopped = { reason: STOPPED, failed: false, output: "" }
    if (request) await append(request.seq, endedPreview(request.version, stopped), { signal })
  }

  function begin(wanted: WantedPreview, signal: AbortSignal): void {
    const over = new AbortController()
    const tell: ServedPreview["tell"] = (event, options) => append(wanted.requestSeq, event, options)
    const shown = showPreview(
      deps,
      session,
      { wanted, yielding, tell },
      { signal: AbortSignal.any([signal, over.signal]) },
    )
    const run = shown
      .then((end) => tell(endedPreview(wanted.version, end), { signal }))
      .catch(async (error) => {
        if (over.signal.aborted || signal.aborted) return
        report(error)
        const reason = isAppError(error, "setup_failed") ? error.message : "It couldn't be started."
        await tell(endedPreview(wanted.version, failure(reason)), { signal })
      })
    const started = { wanted, over, done: run }
    current = started
    started.done = run.finally(() => {
      if (current === started) current = undefined
    })
  }

  /** Appends an event, unless the preview has been replaced or stopped since. */
  async function append(requestSeq: number, event: NewEvent, { signal }: { signal: AbortSignal }): Promise<void> {
    await session.decide(appendPreviewEvents(generation, requestSeq, [event]), { signal }).catch((error) => {
      if (!isAppError(error, "run_superseded")) throw error
    })
  }

  return {
    get busy() {
      return current !== undefined
    },
    async serve({ signal }) {
      try {
        await follow(signal)
        for await (const event of deps.log.tail(logName(sid), session.state.head, { signal })) {
          if (CONCERNS.has(event.type)) await follow(signal)
        }
      } finally {
        current?.over.abort()
        await current?.done
      }
    },
  }
}

const CONCERNS: ReadonlySet<string> = new Set([
  "server_preview_requested",
  "server_preview_stop_requested",
  "workspace_committed",
  "run_completed",
  "run_failed",
  "run_cancelled",
  "session_deleted",
])
