import { cliOf } from "../../agents/added/cli-of.ts"
import type { CliId } from "../../agents/clis/clis.ts"
import { type Consents, requireConsent } from "../../agents/conversations/consents.ts"
import { ownerSettings } from "../../agents/conversations/owner-settings.ts"
import type { StartConsents } from "../../agents/conversations/start-consents.ts"
import { namedAgent } from "../../agents/conversations/state.ts"
import type { PermissionMode } from "../../agents/permissions/schema.ts"
import { permissionsOf } from "../../agents/questions/state.ts"
import type { SetupConsents } from "../../agents/setup/setup-consents.ts"
import { agentInput, agentModel, namedRepository } from "../../agents/tasks/new-task.ts"
import type { AgentFields } from "../../agents/tasks/schema.ts"
import { AppError } from "../../errors.ts"
import { folderOf, hostOf, type Remote } from "../../files/worktrees/remote.ts"
import type { HostPolicy } from "../../network/host-policy.ts"
import type { AgentAccounts } from "../../people/accounts/agents.ts"
import { requireKey } from "../../people/accounts/keys-only.ts"
import type { LimitSettingsOfOwners } from "../../people/settings/limit-settings.ts"
import type { RulesOfOwners } from "../../people/settings/permission-rules.ts"
import type { RepositoriesOfOwners } from "../../people/settings/repository-settings.ts"
import type { VerificationOfOwners } from "../../people/settings/settings.ts"
import type { ProtectedOptions } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import { agentsUnavailable } from "../../work/runs/launcher.ts"
import type { SessionlessRun } from "../../work/runs/run-starts.ts"
import { NO_REVIEWER, type Reviewer } from "../../work/verification/review-schema.ts"
import type { VerificationPlan } from "../../work/verification/schema.ts"
import { effectiveVerification, requireVerification, settingsBeside } from "../../work/verification/settings.ts"
import type { VerificationChange } from "../../work/verification/settings-schema.ts"
import { type AgentHost, nativeSessionsOf } from "./agent-host.ts"
import { requireChecks } from "./check-request.ts"

export interface AgentRequestDeps {
  agentAccounts: AgentAccounts
  consents: Consents
  startConsents: Pick<StartConsents, "digestsFor">
  setupConsents: Pick<SetupConsents, "allowedFor">
  permissionRules: Pick<RulesOfOwners, "rulesFor">
  repositories: Pick<RepositoriesOfOwners, "setupFor" | "verificationFor" | "checksFor" | "preferredAgentFor">
  settings: VerificationOfOwners
  limitSettings: Pick<LimitSettingsOfOwners, "planFor">
  /** Hosts that repositories may come from. */
  hosts: HostPolicy
  /** The machine for agents. Undefined if agents can't run. */
  agents?: AgentHost
}

/** A request's task, for an existing session or a new one. */
export interface TaskRequest extends AgentFields {
  task: string
  /** Repository named in the request. Undefined to use the session's repository. */
  repository: string | undefined
  /** Hashes of screenshots that are stored as session artifacts. */
  screenshots?: string[]
  /** Branch to merge into the worktree before the task starts. */
  merge_branch?: string | undefined
}

/**
 * Returns the run for a task. `state` is undefined if the session hasn't been opened yet. If the request has an error,
 * throws before anything is written, except that a consent may already be stored.
 */
export async function parseAgentRun(
  deps: AgentRequestDeps,
  owner: string,
  request: TaskRequest,
  {
    state,
    keysOnly,
    ...options
  }: ProtectedOptions & { state: SessionState | undefined; keysOnly?: boolean | undefined },
): Promise<SessionlessRun> {
  const sessionsOwn = state?.session.repository ?? null
  agentHostOf(deps)
  const remote = await checkedRepository(deps, request.repository, options)
  const repository = remote?.url ?? sessionsOwn
  const agent = await chooseAgent(deps, owner, { named: request.coding_agent, repository }, options)
  if (keysOnly) requireKey(agent)
  if (sessionsOwn !== null && repository !== sessionsOwn) {
    throw new AppError("task_invalid", "This session uses a different repository.", { repository: sessionsOwn })
  }
  const named = request.base_branch ?? request.branch
  if (named !== undefined && repository === null) {
    throw new AppError("task_invalid", "A session without a repository has no branch to start from.", { branch: named })
  }
  if (request.resume_session !== undefined) requireMovable(deps, owner, agent.cli)
  const verification = await verificationOf(deps, owner, request, { state, repository, keysOnly, ...options })
  const { screenshots = [] } = request
  const settings = await ownerSettings(deps, owner, { repository, account: agent.account, keysOnly }, options)
  const input = {
    ...agentInput(request.task, request, agent, repository),
    ...(screenshots.length > 0 && { screenshots }),
    ...(request.merge_branch !== undefined && { merge_branch: request.merge_branch }),
    ...settings,
    // If the caller may not weaken protections, ignore the consent. The run then works without the files that start
    // programs, and its result says so.
    ...(request.consent && options.mayLoosen && { consent: true }),
    ...(keysOnly && { keys_only: true }),
    ...(verification && { verification }),
  }
  // A task may name an existing agent instead of giving an ID. It then runs in that agent's worktree.
  const known = state && namedAgent(state, request.agent_id)
  const agentId = known?.agentId ?? request.agent_id
  const mode = input.mode ?? (state && permissionsOf(state, agentId).mode) ?? "bypass"
  await requireAgentConsent(deps, owner, { cli: agent.cli, mode, repository, consent: request.consent }, options)
  return {
    owner,
    kind: "agent",
    model: agentModel(input),
    input,
    agentId,
    worktree: request.worktree ?? (known?.isCreated ? known.worktree : undefined),
    remote,
  }
}

/** Returns the agent that a request names, or else the owner's preferred agent for the repository. */
async function chooseAgent(
  { agentAccounts, repositories }: Pick<AgentRequestDeps, "agentAccounts" | "repositories">,
  owner: string,
  { named, repository }: { named: string | null | undefined; repository: string | null },
  options: { signal: AbortSignal },
) {
  const name = named ?? (await repositories.preferredAgentFor(owner, repository, options))
  if (name === null) throw new AppError("invalid_request", "An agent run requires a coding_agent.")
  return agentAccounts.choose(owner, name, options)
}

/**
 * Returns the verification of a task, from the settings of the task itself, or else of its session, its repository or
 * its owner.
 */
export async function verificationOf(
  deps: AgentRequestDeps,
  owner: string,
  request: Pick<TaskRequest, keyof VerificationChange | "consent">,
  {
    state,
    repository,
    keysOnly,
    ...options
  }: ProtectedOptions & {
    state: SessionState | undefined
    repository: string | null
    keysOnly?: boolean | undefined
  },
): Promise<VerificationPlan | undefined> {
  const beside = await verificationBeside(deps, owner, { state, repository, ...options })
  // A request that names a reviewer implies verification.
  const { verification_agent: named, verify = named && named !== NO_REVIEWER ? true : null } = request
  requireVerification({ ...request, verify }, beside, options)
  const set = effectiveVerification({ ...request, verify }, ...beside)
  if (!set.verify) return undefined
  await requireChecks(deps, { owner, consent: request.consent }, options)
  const { allow_test_changes, verification_attempts: max_attempts } = set
  const usual = await deps.repositories.checksFor(owner, repository, options)
  const commands = { ...usual, ...state?.workspace.checkCommands }
  const reviewer = await reviewerOf(deps, owner, set, { keysOnly, ...options })
  const reviewer_hand_off =
    reviewer && (await deps.limitSettings.planFor(owner, reviewer.account, { keysOnly, ...options }))
  return {
    ...{ commands, allow_test_changes, max_attempts },
    ...(reviewer && { reviewer }),
    ...(reviewer_hand_off && { reviewer_hand_off }),
  }
}

/** Returns the verification settings of a session, its repository and its owner, narrowest scope first. */
export async function verificationBeside(
  deps: Pick<AgentRequestDeps, "repositories" | "settings">,
  owner: string,
  {
    state,
    repository,
    ...options
  }: { state: SessionState | undefined; repository: string | null; signal: AbortSignal },
): Promise<VerificationChange[]> {
  const [ofRepository, own] = await Promise.all([
    deps.repositories.verificationFor(owner, repository, options),
    deps.settings.verification.read(owner, options),
  ])
  return settingsBeside({ session: state?.verification.settings, repository: ofRepository }, own)
}

/** Returns the agent that reviews the work, if a reviewer is set. Throws `task_invalid` if that agent doesn't exist. */
async function reviewerOf(
  { agentAccounts }: Pick<AgentRequestDeps, "agentAccounts">,
  owner: string,
  set: ReturnType<typeof effectiveVerification>,
  { keysOnly, ...options }: { keysOnly: boolean | undefined; signal: AbortSignal },
): Promise<Reviewer | undefined> {
  const { verification_agent: name, verification_model, verification_reasoning } = set
  if (name === null) return undefined
  const chosen = await agentAccounts.choose(owner, name, options)
  if (keysOnly) requireKey(chosen)
  const { cli, account, model, reasoning } = chosen
  return { cli, account, model: verification_model ?? model, reasoning: verification_reasoning ?? reasoning }
}

/**
 * Requires the owner's consent, once per repository, to agents that don't ask for permission. The mock agent needs no
 * consent, because it only does what its task says. Neither do agents that ask, because they get permission for each
 * step.
 */
export async function requireAgentConsent(
  deps: AgentRequestDeps,
  owner: string,
  { cli, mode, repository, consent }: AgentConsent,
  options: ProtectedOptions,
): Promise<void> {
  const host = agentHostOf(deps)
  if (!host.local || cli === "mock" || mode !== "bypass") return
  const place = repository === null ? null : (folderOf({ url: repository }) ?? repository)
  await requireConsent(deps.consents, owner, { repository: place, consent }, options)
}

/** Throws `task_invalid` if this owner can't continue sessions that the program started outside this server. */
export function requireMovable({ agents }: Pick<AgentRequestDeps, "agents">, owner: string, cli: CliId): void {
  nativeSessionsOf(agents, owner)
  const { title, sessionFiles } = cliOf(cli)
  if (!sessionFiles?.moves) throw new AppError("task_invalid", `Sessions of ${title} can't be taken over.`)
}

interface AgentConsent {
  cli: CliId
  mode: PermissionMode
  repository: string | null
  consent: boolean
}

/**
 * Returns the repository named in a request. Throws if agents can't work in the folder, or if the server may not
 * connect to the host.
 */
export async function checkedRepository(
  deps: Pick<AgentRequestDeps, "agents" | "hosts">,
  named: string | null | undefined,
  options: { signal: AbortSignal },
): Promise<Remote | undefined> {
  if (named === null || named === undefined) return undefined
  const { local, checkFolder } = agentHostOf(deps)
  const remote = namedRepository(named, { local })
  const [folder, host] = [folderOf(remote), hostOf(remote)]
  if (folder !== undefined) await checkFolder(folder, options)
  if (host !== undefined) await deps.hosts.check(host, options)
  return remote
}

function agentHostOf({ agents }: Pick<AgentRequestDeps, "agents">): AgentHost {
  if (agents) return agents
  throw agentsUnavailable()
}
