import { AppError } from "../../errors.ts"
import type { Remote } from "../../files/worktrees/remote.ts"
import type { SessionState } from "../../state.ts"
import type { NewTeam } from "../../work/teams/request-schema.ts"
import type { TeamAgents } from "../../work/teams/schema.ts"
import type { Sessions } from "../sessions.ts"
import { type AgentRequestDeps, checkedRepository, requireAgentConsent, verificationOf } from "./agent-request.ts"

export interface TeamAgentDeps extends AgentRequestDeps {
  sessions: Sessions
}

/**
 * The mock program, which the demo's coordinator makes a worker of on one's own machine, so that a team without any key shows
 * both kinds. It works beside the session's own files, and changes none; undefined where the session has a repository.
 */
export function demoAgents(
  { agents }: TeamAgentDeps,
  { permission_mode: mode }: NewTeam,
  repository: string | null,
): TeamAgents | undefined {
  if (!agents?.local || repository !== null) return undefined
  const mock = { name: "mock", cli: "mock" as const, account: null, model: null, reasoning: null }
  return { choices: [mock], repository: null, mode }
}

/** The programs that a team's workers may be in this repository; undefined where the request names none. */
export async function parseTeamAgents(
  deps: TeamAgentDeps,
  owner: string,
  { coding_agents: names, permission_mode: mode, verify, consent }: NewTeam,
  {
    state,
    repository,
    ...options
  }: { state: SessionState | undefined; repository: string | null; signal: AbortSignal },
): Promise<TeamAgents | undefined> {
  if (names.length === 0) return undefined
  // What is merged in a session without one isn't among its files.
  if (repository === null)
    throw new AppError("task_invalid", "Programs work in a repository. Name one in project_path.")
  const verification = await verificationOf(deps, owner, { verify, consent }, { state, repository, ...options })
  const choices: TeamAgents["choices"] = []
  for (const name of new Set(names)) {
    const { cli, account, model, reasoning } = await deps.agentAccounts.choose(owner, name, options)
    await requireAgentConsent(deps, owner, { cli, mode, repository, consent }, options)
    choices.push({ name, cli, account, model, reasoning })
  }
  return { choices, repository, mode, ...(verification && { verification }) }
}

/** The repository in which a team works: the session's, or for a session without one that of the request; null for neither. */
export async function parseTeamRepository(
  deps: TeamAgentDeps,
  { project_path: named }: NewTeam,
  { state, ...options }: { state: SessionState | undefined; signal: AbortSignal },
): Promise<{ repository: string | null; remote: Remote | undefined }> {
  const sessionsOwn = state?.session.repository ?? null
  const remote = await checkedRepository(deps, named, options)
  const repository = remote?.url ?? sessionsOwn
  if (sessionsOwn !== null && repository !== sessionsOwn) {
    throw new AppError("task_invalid", "This session works in another repository.", { repository: sessionsOwn })
  }
  return { repository, remote }
}
