import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { isOpen } from "../terminals/open-terminals.ts"
import type { Inboxes } from "./inboxes.ts"

export interface ViewerDeps extends SessionLogDeps {
  blobs: Blobs
  inboxes: Inboxes
  /** Aborts when the server stops. */
  stopping: AbortSignal
  report: (error: unknown) => void
}

/**
 * Informs the runner that a client is viewing a terminal, until the returned function is called. While it is informed,
 * the runner flushes output sooner. This is only a hint: without it, the viewer sees output a second later.
 */
export function announceViewer(deps: ViewerDeps, session: SessionHandle, pty: string, client: string): () => void {
  const send = async (type: "terminal_attached" | "terminal_detached") => {
    // Read the log again. Meanwhile, another runner may have taken over the session, or the terminal may have been
    // closed.
    const { state } = await openSessionLog(deps, session.sid, { signal: deps.stopping })
    if (!isOpen(state.runner, pty) || state.runner.executor === null) return
    await deps.inboxes.send({ ...session, state }, [{ type, pty, client }], { signal: deps.stopping })
  }
  const reported = (error: unknown) => deps.stopping.aborted || deps.report(error)
  const attached = send("terminal_attached").catch(reported)
  return () => {
    attached.then(() => send("terminal_detached")).catch(reported)
  }
}
