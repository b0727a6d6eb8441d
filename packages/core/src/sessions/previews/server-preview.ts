import { requireConsent, serverPlace } from "../../agents/conversations/consents.ts"
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

/** Error message if the repository's settings disable the server preview. */
export const SWITCHED_OFF = "The server preview is disabled in this repository's settings."

/** True if the repository's settings allow a server preview. */
export async function isServerShown(
  { repositories }: Pick<ServerPreviewDeps, "repositories">,
  owner: string,
  { session }: SessionState,
  options: { signal: AbortSignal },
): Promise<boolean> {
  return (await repositories.previewFor(owner, session.repository, options)).port_mode !== "disabled"
}

/**
 * Returns the command that starts a server for these files. Undefined if the files and the settings of the session and
 * its repository don't name a command. Null if the command may be in the rest of the repository, which only runners
 * have.
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
  // Load the module on demand, because few requests need it.
  const { findServer } = await import("../../work/gate/find-checks.ts")
  const found = findServer(await readProject(workspace, options), commands)
  return found?.start.command ?? (state.session.repository === null ? undefined : null)
}

/**
 * Starts the server for the newest files, or for the files at an event. Its runner adds the rest of the repository.
 * Throws `invalid_request` if the repository's settings disable the server preview, or if earlier files of a repository
 * are requested. Also throws the errors of `requireChecks`, because a server runs project code like a check does. On a
 * machine without a sandbox, the owner must consent once for each session, because servers start automatically
 * afterwards.
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
  await requireServer(deps, { owner, session, consent }, options)
  if (!deps.launcher.serve) throw agentsUnavailable()
  const at = seq === undefined ? undefined : await findVersionAt(deps, session, seq, options)
  const log = await openSessionLog(deps, session.sid, options)
  // Only the current version of the rest of the repository is available.
  if (at && repository !== null && at.version !== session.state.workspace.version) {
    throw new AppError("invalid_request", "For a repository, only the latest version can be previewed.")
  }
  const commands = await deps.repositories.checksFor(owner, repository, options)
  const settings = { commands, port: (port_mode === "manual" ? port : null) ?? undefined }
  await log.decide(inLiveSession(requestServerPreview(at, settings)), options)
  await deps.launcher.serve(session.sid, options)
}

async function requireServer(
  { agents, consents }: Pick<ServerPreviewDeps, "agents" | "consents">,
  { owner, session, consent }: { owner: string; session: SessionHandle; consent: boolean },
  options: ProtectedOptions,
): Promise<void> {
  const isConfined = (await agents?.confinesChecks?.()) ?? true
  if (isConfined) return requireChecks({ agents, consents }, { owner, consent }, options)
  const request = "This machine has no sandbox, so a server has the same access as you. To start it in this session"
  const about = { repository: serverPlace(session.sessionId), consent, request, details: { sandbox: false } }
  await requireConsent(consents, owner, about, options)
}

/** Stops the server if it's running. */
export async function endServerPreview(
  deps: ServerPreviewDeps,
  { sid }: SessionHandle,
  options: { signal: AbortSignal },
): Promise<void> {
  const log = await openSessionLog(deps, sid, options)
  await log.decide(inLiveSession(stopServerPreview()), options)
}
