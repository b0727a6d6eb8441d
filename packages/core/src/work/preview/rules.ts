import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import type { Rule } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { SessionState } from "../../state.ts"
import { writesFiles } from "../runs/kinds.ts"
import { activeRuns } from "../runs/state.ts"
import type { ServerSettings } from "./schema.ts"

/** Time after which a request expires if no runner has picked it up. By then, the person has probably left. */
const BEGINS_WITHIN_MS = 120_000

/**
 * Requests a server for these files or, by default, for the newest version and each later one. A session with a
 * repository may have no files of its own, and thus no version.
 */
export function requestServerPreview(of?: WorkspaceVersion, { commands, port }: ServerSettings = {}): Rule {
  return ({ workspace, session }) => {
    const { version, manifest } = of ?? workspace
    if (manifest === null && session.repository === null)
      return new AppError("workspace_not_found", "There are no files to preview.")
    const files = { workspace_version: version, manifest, follows: of === undefined }
    const settings = { ...(commands && { commands }), ...(port !== undefined && { port }) }
    return [{ type: "server_preview_requested", ...files, ...settings }]
  }
}

/** Asks the server to stop. If no runner has started to handle its request, ends the request immediately. */
export function stopServerPreview(): Rule {
  return ({ preview: { stage, request } }) => {
    if (stage === "none" || stage === "stopping" || request === null) return []
    if (stage !== "requested") return [{ type: "server_preview_stop_requested" }]
    return [endedPreview(request.version, { reason: STOPPED, failed: false, output: "" })]
  }
}

/** Reason for the end of a server that was asked to stop. */
export const STOPPED = "It was stopped."

/**
 * Appends a runner's events about the server if it is still the session's runner and the request is still the newest.
 */
export function appendPreviewEvents(generation: number, requestSeq: number, events: NewEvent[]): Rule {
  return (state) => {
    const isCurrent = isLive(state) && state.runner.generation === generation
    if (isCurrent && state.preview.request?.seq === requestSeq) return events
    return new AppError("run_superseded", "Another runner is serving this session, or another preview was requested.")
  }
}

export function endedPreview(
  workspace_version: number,
  end: { reason: string; failed: boolean; output: string },
): NewEvent {
  return { type: "server_preview_ended", workspace_version, ...end }
}

/** Returns true if a server is waiting for a runner to start it. */
export function awaitsPreview({ preview: { stage, request } }: SessionState, now: number): boolean {
  return stage === "requested" && request !== null && now - Date.parse(request.at) < BEGINS_WITHIN_MS
}

/** Files and settings of the requested server, with its request. */
export interface WantedPreview extends WorkspaceVersion, ServerSettings {
  requestSeq: number
}

/**
 * Returns the server that should be running. A server that follows the files switches to a new version only when no run
 * is writing files. Until then, `running` continues.
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
