import { openWorkspace } from "../../files/workspaces/files.ts"
import type { WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog } from "../../kernel/session-log.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { readProject } from "../../work/gate/read-project.ts"
import { requestServerPreview, stopServerPreview } from "../../work/preview/rules.ts"
import { agentsUnavailable, type Launcher } from "../../work/runs/launcher.ts"
import { type CheckRequestDeps, requireChecks } from "../requests/check-request.ts"
import { findVersionAt, type PreviewDeps } from "./preview.ts"

export interface ServerPreviewDeps extends PreviewDeps, CheckRequestDeps {
  launcher: Launcher
}

/** The command that starts the server of some files; undefined where they declare none, and nobody set one. */
export async function findStartCommand(
  deps: { blobs: Blobs },
  { sid, state }: SessionHandle,
  at: WorkspaceVersion,
  options: { signal: AbortSignal },
): Promise<string | undefined> {
  const workspace = await openWorkspace(deps, { sid, state }, { at, ...options })
  // Loaded for the few requests that ask.
  const { findChecks } = await import("../../work/gate/find-checks.ts")
  const checks = findChecks(await readProject(workspace, options), state.workspace.checkCommands)
  return checks.find(({ name, page }) => name === "start" && page === undefined)?.command
}

/**
 * Has a runner start the server of the files, as they are at an event or else the newest ones. Throws what `requireChecks` does:
 * it runs what was built, as a check does.
 */
export async function startServerPreview(
  deps: ServerPreviewDeps,
  {
    owner,
    session,
    seq,
    consent,
  }: { owner: string; session: SessionHandle; seq: number | undefined; consent: boolean },
  options: { signal: AbortSignal },
): Promise<void> {
  await requireChecks(deps, { owner, consent }, options)
  if (!deps.launcher.serve) throw agentsUnavailable()
  const at = seq === undefined ? undefined : await findVersionAt(deps, session, seq, options)
  const log = await openSessionLog(deps, session.sid, options)
  await log.decide(inLiveSession(requestServerPreview(at)), options)
  await deps.launcher.serve(session.sid, options)
}

/** Ends the server, if there is one. */
export async function endServerPreview(
  deps: ServerPreviewDeps,
  { sid }: SessionHandle,
  options: { signal: AbortSignal },
): Promise<void> {
  const log = await openSessionLog(deps, sid, options)
  await log.decide(inLiveSession(stopServerPreview()), options)
}
