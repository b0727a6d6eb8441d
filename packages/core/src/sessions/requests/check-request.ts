import { CHECKS_PLACE, type Consents, requireConsent } from "../../agents/conversations/consents.ts"
import { AppError } from "../../errors.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { RepositoriesOfOwners } from "../../people/settings/repository-settings.ts"
import type { ProtectedOptions } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import { CHECKER, type RepositoryChecks } from "../../work/gate/schema.ts"
import { agentsUnavailable } from "../../work/runs/launcher.ts"
import type { NewRun } from "../../work/runs/run-starts.ts"
import type { AgentHost } from "./agent-host.ts"

export interface CheckRequestDeps {
  consents: Consents
  repositories: Pick<RepositoriesOfOwners, "checksFor">
  /** The machine for agents and checks. Undefined if there are no runners. */
  agents?: AgentHost
}

/**
 * Returns the run that checks a session's files. Throws `workspace_not_found` if there are no files. Also throws the
 * errors of `requireChecks`.
 */
export async function parseCheck(
  deps: CheckRequestDeps,
  { owner, session, consent }: { owner: string; session: SessionHandle; consent: boolean },
  options: ProtectedOptions,
): Promise<NewRun> {
  const { sid, sessionId, state } = session
  const { version, manifest } = state.workspace
  if (manifest === null) throw new AppError("workspace_not_found", "There are no files to check.")
  await requireChecks(deps, { owner, consent }, options)
  const commands = await checkCommandsOf(deps, owner, state, options)
  const input = { workspace_version: version, manifest, commands }
  return { owner, sid, sessionId, kind: "check", model: "none", agentId: CHECKER, input }
}

/** Returns a session's check commands, or else those of its repository, with the repository's time limits. */
export async function checkCommandsOf(
  { repositories }: Pick<CheckRequestDeps, "repositories">,
  owner: string,
  { session, workspace }: SessionState,
  options: { signal: AbortSignal },
): Promise<RepositoryChecks> {
  return { ...(await repositories.checksFor(owner, session.repository, options)), ...workspace.checkCommands }
}

/**
 * Throws `agents_unavailable` if this server can't run project code. On a local machine, throws `consent_required` if
 * the owner hasn't consented. Stores the consent if the request contains one.
 */
export async function requireChecks(
  { agents, consents }: Pick<CheckRequestDeps, "consents" | "agents">,
  { owner, consent }: { owner: string; consent: boolean },
  options: ProtectedOptions,
): Promise<void> {
  if (!agents) throw agentsUnavailable()
  if (!agents.local) return
  const request = "Checks run project code on this machine without asking. To let them"
  await requireConsent(consents, owner, { repository: CHECKS_PLACE, consent, request }, options)
}

/**
 * True if an owner's builds are checked automatically. This needs runners and, on a local machine, the owner's consent.
 */
export async function areChecksAllowed(
  { consents, agents }: Pick<CheckRequestDeps, "consents" | "agents">,
  owner: string,
  options: { signal: AbortSignal },
): Promise<boolean> {
  if (!agents) return false
  return !agents.local || consents.has(owner, CHECKS_PLACE, options)
}
