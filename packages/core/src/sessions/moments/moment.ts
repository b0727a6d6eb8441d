import { AppError } from "../../errors.ts"
import type { WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { readEvents } from "../events/event-page.ts"

/** Throws `validation_error` if the event doesn't exist in the session. */
export function requireMoment({ state }: Pick<SessionHandle, "state">, toSeq: number): void {
  const first = state.session.since?.seq ?? 1
  if (toSeq >= first && toSeq <= state.head) return
  throw new AppError("validation_error", "This session has no such moment.", { to_seq: toSeq, latest_seq: state.head })
}

/** Returns the version of the files after an event. */
export async function versionAt(
  deps: { log: Log; blobs: Blobs },
  handle: SessionHandle,
  toSeq: number,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion> {
  const types = new Set(["workspace_committed"])
  const first = handle.state.session.since?.seq ?? 1
  for (let before = toSeq + 1; before > first; ) {
    const page = await readEvents(deps, handle, { before }, { limit: 1, types, ...options })
    const [event] = page.events
    if (event?.type === "workspace_committed") {
      const { version, manifest } = event as unknown as WorkspaceVersion
      return { version, manifest }
    }
    before = page.from_seq
  }
  return { version: 0, manifest: null }
}
