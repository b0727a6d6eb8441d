import { AppError } from "../../errors.ts"
import { openWorkspace } from "../../files/workspaces/files.ts"
import type { WorkspaceVersion } from "../../files/workspaces/manifest.ts"
import { inLiveSession } from "../../kernel/rules.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import { openSessionLog } from "../../kernel/session-log.ts"
import type { RepositoriesOfOwners } from "../../people/settings/repository-settings.ts"
import type { ProtectedOptions } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { readProject } from "../../work/gate/read-project.ts"
import { requestServerPreview, stopServerPreview } from "../../work/preview/rules.ts"
import { agentsUnavailable, type Launcher } from "../../work/runs/launcher.ts"
import { type CheckRequestDeps, checkCommandsOf, requireChecks } from "../requests/check-request.ts"
import { findVersionAt, type PreviewDeps } from "./preview.ts"

export interface ServerPreviewDeps extends PreviewDeps, CheckRequestDeps {
  launcher: Launcher
  repositories: Pick<RepositoriesOfOwners, "checksFor" | "previewFor">
}

/** The words for a server that isn't shown because its repository's settings say so. */
export const SWITCHED_OFF = "The settings of this repository say that its server isn't shown."

/** Whether the server of a session's project may be shown, by the settings of its repository. */
export async function isServerShown(
  { repositories }: Pick<ServerPreviewDeps, "repositories">,
  owner: string,
  { session }: SessionState,
  options: { signal: AbortSignal },
): Promise<boolean> {
  return (await repositories.previewFor(owner, session.repository, options)).port_mode !== "disabled"
}

/**
 * The command that starts the server of some files; undefined where they declare none, and nobody set one for the session or its
 * repository. Null where it may be in the rest of the repository, which only a runner has.
 */
export async function findStartCommand(
  deps: { blobs: Blobs } & Pick<CheckRequestDeps, "repositories">,
  owner: string,
  { sid, state }: SessionHandle,
  at: WorkspaceVersion,
  options: { signal: AbortSignal },
): Promise<string | null | undefined> {
  const commands = await checkCommandsOf(deps, owner, state, options)
  const workspace = await openWorkspace(deps, { sid, state }, { at, ...options })
  // Loaded for the few requests that ask.
  const { findChecks } = await import("../../work/gate/find-checks.ts")
  const checks = findChecks(await readProject(workspace, options), commands)
  const found = checks.find(({ name, page }) => name === "start" && page === undefined)?.command
  return found ?? (state.session.repository === null ? undefined : null)
}

/**
 * Has a runner start the server of the files, as they are at an event or else the newest ones, with the rest of the session's
 * repository. Throws `invalid_request` where the settings of that say that it isn't shown, or for earlier files of it, and what `requireChecks` does: it runs what was built, as a check
 * does.
 */
export async function startServerPreview(
  deps: ServerPreviewDeps,
  {
    owner,
    session,
    seq,
    consent,
  }: { owner: string; session: SessionHandle; seq: number | undefined; consent: boolean },
  options: ProtectedOptions,
): Promise<void> {
  const { repository } = session.state.session
  const { port_mode, port } = await deps.repositories.previewFor(owner, repository, options)
  if (port_mode === "disabled") throw new AppError("invalid_request", SWITCHED_OFF)
  await requireChecks(deps, { owner, consent }, options)
  if (!deps.launcher.serve) throw agentsUnavailable()
  const at = seq === undefined ? undefined : await findVersionAt(deps, session, seq, options)
  const log = await openSessionLog(deps, session.sid, options)
  // Files of a repository that aren't among the session's are as they are now.
  if (at && repository !== null && at.version !== session.state.workspace.version) {
    throw new AppError("invalid_request", "Of a repository, only the newest files can be started.")
  }
  const commands = await deps.repositories.checksFor(owner, repository, options)
  const settings = { commands, port: (port_mode === "manual" ? port : null) ?? undefined }
  await log.decide(inLiveSession(requestServerPreview(at, settings)), options)
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
