import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import type { Rule } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { SessionState } from "../../state.ts"
import { writesFiles } from "../runs/kinds.ts"
import { activeRuns } from "../runs/state.ts"
import type { ServerSettings } from "./schema.ts"

/** A request that no runner has begun with by then is forgotten: nobody waits for it any more. */
const BEGINS_WITHIN_MS = 120_000

/**
 * Asks for the server of these files; without any, of the newest, and of each version that follows. A session's own may be none
 * where it has a repository.
 */
export function requestServerPreview(of?: WorkspaceVersion, { commands, port }: ServerSettings = {}): Rule {
  return ({ workspace, session }) => {
    const { version, manifest } = of ?? workspace
    if (manifest === null && session.repository === null)
      return new AppError("workspace_not_found", "There are no files to start.")
    const files = { workspace_version: version, manifest, follows: of === undefined }
    const settings = { ...(commands && { commands }), ...(port !== undefined && { port }) }
    return [{ type: "server_preview_requested", ...files, ...settings }]
  }
}

/** Asks for the end of the server; one that no runner has begun with ends at once. */
export function stopServerPreview(): Rule {
  return ({ preview: { stage, request } }) => {
    if (stage === "none" || stage === "stopping" || request === null) return []
    if (stage !== "requested") return [{ type: "server_preview_stop_requested" }]
    return [endedPreview(request.version, { reason: STOPPED, failed: false, output: "" })]
  }
}

/** The words for a server that was ended because people asked for that. */
export const STOPPED = "It was stopped."

/** Appends what a runner says of the server, while it is the session's runner and nobody has asked for another. */
export function asPreviewer(generation: number, requestSeq: number, events: NewEvent[]): Rule {
  return (state) => {
    const isCurrent = isLive(state) && state.runner.generation === generation
    if (isCurrent && state.preview.request?.seq === requestSeq) return events
    return new AppError("run_superseded", "Another runner serves this session, or another preview is wanted.")
  }
}

export function endedPreview(
  workspace_version: number,
  end: { reason: string; failed: boolean; output: string },
): NewEvent {
  return { type: "server_preview_ended", workspace_version, ...end }
}

/** Whether a runner is to begin with a server. */
export function awaitsPreview({ preview: { stage, request } }: SessionState, now: number): boolean {
  return stage === "requested" && request !== null && now - Date.parse(request.at) < BEGINS_WITHIN_MS
}

/** The files whose server is wanted now, for a request; undefined if none is. */
export interface WantedPreview extends WorkspaceVersion, ServerSettings {
  requestSeq: number
}

/**
 * The server that shall run. It follows the files, but waits with that while they are being written: `running` is what runs
 * meanwhile.
 */
export function wantedPreview(state: SessionState, running: WantedPreview | undefined): WantedPreview | undefined {
  const { stage, request } = state.preview
  if (!isLive(state) || request === null || stage === "none" || stage === "stopping") return undefined
  const { seq: requestSeq, version, manifest, follows, commands, port } = request
  const same = running?.requestSeq === requestSeq ? running : undefined
  const settings = { requestSeq, ...(commands && { commands }), ...(port !== undefined && { port }) }
  const first = same ?? { ...settings, version, manifest }
  if (!follows || activeRuns(state).some(writesFiles)) return first
  const { workspace } = state
  return { ...settings, version: workspace.version, manifest: workspace.manifest }
}
