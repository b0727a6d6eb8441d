import { AppError } from "../../errors.ts"
import type { WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { readHistoryBack } from "../../kernel/history.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Records } from "../../storage/records.ts"

/** Throws `validation_error` if the event doesn't exist in the session. */
export function requireMoment({ state }: Pick<SessionHandle, "state">, toSeq: number): void {
  const first = state.session.since?.seq ?? 1
  if (toSeq >= first && toSeq <= state.head) return
  throw new AppError("validation_error", `This session has no event ${toSeq}. Its latest event is ${state.head}.`, {
    to_seq: toSeq,
    latest_seq: state.head,
  })
}

/** Returns the version of the files right after an event. */
export async function versionAt(
  deps: { records: Records },
  handle: SessionHandle,
  toSeq: number,
  options: { signal: AbortSignal },
): Promise<WorkspaceVersion> {
  for await (const { seq, version, manifest } of readHistoryBack(deps, handle, "versions", options)) {
    if (seq <= toSeq) return { version, manifest }
  }
  return { version: 0, manifest: null }
}
