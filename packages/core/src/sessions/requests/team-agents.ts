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
 * Returns the mock program as a worker for the demo's coordinator on a local machine, so that a team without keys shows
 * both kinds of workers. The program works in a folder beside the session's files and doesn't change them. Undefined if
 * the session has a repository.
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

/** Returns the programs that may work for a team in this repository. Undefined if the request doesn't name any. */
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
  // Without a repository, the merged work of programs wouldn't reach the session's files.
  if (repository === null) throw new AppError("task_invalid", "Programs need a repository. Name one in project_path.")
  const verification = await verificationOf(deps, owner, { verify, consent }, { state, repository, ...options })
  const choices: TeamAgents["choices"] = []
  for (const name of new Set(names)) {
    const { cli, account, model, reasoning } = await deps.agentAccounts.choose(owner, name, options)
    await requireAgentConsent(deps, owner, { cli, mode, repository, consent }, options)
    choices.push({ name, cli, account, model, reasoning })
  }
  return { choices, repository, mode, ...(verification && { verification }) }
}

/** Returns a team's repository: the session's, or else the one in the request. Null if neither has one. */
export async function parseTeamRepository(
  deps: TeamAgentDeps,
  { project_path: named }: NewTeam,
  { state, ...options }: { state: SessionState | undefined; signal: AbortSignal },
): Promise<{ repository: string | null; remote: Remote | undefined }> {
  const sessionsOwn = state?.session.repository ?? null
  const remote = await checkedRepository(deps, named, options)
  const repository = remote?.url ?? sessionsOwn
  if (sessionsOwn !== null && repository !== sessionsOwn) {
    throw new AppError("task_invalid", "This session uses a different repository.", { repository: sessionsOwn })
  }
  return { repository, remote }
}
