import { AppError } from "../../errors.ts"
import { both } from "../../kernel/rules.ts"
import { type ModelsConfig, resolveModel } from "../../models/resolve.ts"
import type { Accounts } from "../../people/accounts/accounts.ts"
import { withOwnersKey } from "../../people/accounts/model-keys.ts"
import { requirePrice } from "../../people/budget/require-price.ts"
import { setSessionBudget } from "../../people/budget/rules.ts"
import type { ProtectedOptions } from "../../protections.ts"
import type { SessionState } from "../../state.ts"
import type { LocatedRun } from "../../work/runs/runs.ts"
import type { NewTeam } from "../../work/teams/request-schema.ts"
import { AUTONOMOUS, COORDINATOR, HARNESSED, type TeamInput } from "../../work/teams/schema.ts"
import { startTeam } from "../../work/teams/team-rules.ts"
import { effectiveVerification } from "../../work/verification/settings.ts"
import { verificationBeside } from "./agent-request.ts"
import { areChecksAllowed, requireChecks } from "./check-request.ts"
import { type ImageDeps, readRequestImages, sessionOfImages } from "./request-images.ts"
import type { RunCaller } from "./run-request.ts"
import { type StartOnceDeps, startRunOnce } from "./start-run.ts"
import { demoAgents, parseTeamAgents, parseTeamRepository, type TeamAgentDeps } from "./team-agents.ts"
import { parseCoordinator, splitCoordinator, workersModel } from "./team-coordinator.ts"

export interface TeamRequestDeps extends StartOnceDeps, TeamAgentDeps, ImageDeps {
  accounts: Accounts
  models: ModelsConfig
}

/**
 * Starts a team with a goal, in the named session or in a new one. Throws `invalid_request` for an unusable model. For
 * the workers' programs, throws the same errors as a task for an agent.
 */
export async function requestTeam(
  deps: TeamRequestDeps,
  { owner, apiKey, workspace: named }: RunCaller,
  request: NewTeam,
  { key, ...options }: ProtectedOptions & { key: string | undefined },
): Promise<LocatedRun> {
  const { goal, max_concurrent, mode, permission_mode } = request
  const { model: name, coordinator: program } = splitCoordinator(request)
  const workspace = named()
  const chosen = name ?? (program && (await workersModel(deps, owner, program, { ...request, apiKey, ...options })))
  const wanted = { name: chosen, surface: "general" as const, apiKey }
  const { account, ...keyed } = await withOwnersKey(deps, owner, wanted, options)
  const resolved = resolveModel(deps.models, keyed)
  const { provider, model } = resolved
  // A program reports its own costs.
  if (program === undefined) requirePrice(`${provider}/${model}`, request.budget)
  const isDemo = provider === "scripted" && program === undefined
  const state = workspace === undefined ? undefined : await deps.sessions.peek(owner, workspace, options)
  const { repository, remote } = await parseTeamRepository(deps, request, { state, ...options })
  const agents =
    (await parseTeamAgents(deps, owner, request, { state, repository, ...options })) ??
    (isDemo ? demoAgents(deps, request, repository) : undefined)
  const commands = await teamCommands(deps, owner, { state, repository, request }, options)
  const coordinator = program && (await parseCoordinator(deps, owner, program, { ...request, repository, ...options }))
  const session = await sessionOfImages(deps.sessions, owner, { request, workspace }, options)
  if (program !== undefined && request.images?.length)
    throw new AppError(
      "invalid_request",
      "A program that coordinates a team can't receive images. Let a model coordinate, or leave the images out.",
    )
  const images = await readRequestImages(deps, request.images ?? [], { model: resolved, session }, options)
  const input = {
    goal,
    ...(images.refs.length > 0 && { images: images.refs }),
    max_concurrent,
    mode,
    ...(repository !== null && { repository }),
    ...(agents && { agents }),
    ...(coordinator && { coordinator }),
    ...(commands && { commands }),
  }
  const about = { owner, model: `${provider}/${model}`, apiKey: keyed.apiKey, account, workspace }
  const begins = (runId: string) => startTeam(runId, { ...input, permission_mode })
  const { budget } = request
  const alongside = (runId: string) => (budget ? both(begins(runId), setSessionBudget(budget, options)) : begins(runId))
  const run = {
    ...about,
    kind: "team" as const,
    agentId: COORDINATOR,
    input,
    alongside,
    remote,
    artifacts: images.unstored,
  }
  return startRunOnce(deps, run, { key, body: { ...input, budget, model: about.model, workspace }, ...options })
}

/**
 * Returns the commands that the team may run. Undefined if none are allowed. The consent given with the goal also
 * covers these commands.
 */
async function teamCommands(
  deps: TeamRequestDeps,
  owner: string,
  about: { state: SessionState | undefined; repository: string | null; request: NewTeam },
  options: ProtectedOptions,
): Promise<TeamInput["commands"]> {
  const { state, repository } = about
  const { consent, permission_mode: mode, worker_commands: workers } = about.request
  requireOwnNames(about.request)
  if (consent && deps.agents) await requireChecks(deps, { owner, consent }, options)
  else if (workers.length > 0) await requireChecks(deps, { owner, consent }, options)
  else if (!(await areChecksAllowed(deps, owner, options))) return undefined
  const beside = await verificationBeside(deps, owner, { state, repository, ...options })
  const rules = await deps.permissionRules.rulesFor(owner, repository, options)
  return {
    ...(workers.length > 0 && { workers }),
    ...{ mode, ...(rules.length > 0 && { rules }) },
    checks: await deps.repositories.checksFor(owner, repository, options),
    max_attempts: effectiveVerification(...beside).verification_attempts,
  }
}

/**
 * Throws `task_invalid` if the names of the workers' commands are ambiguous, or if the mode doesn't allow running
 * anything.
 */
function requireOwnNames({ worker_commands, coding_agents, permission_mode }: NewTeam): void {
  const names = worker_commands.map(({ name }) => name)
  const taken = [HARNESSED, AUTONOMOUS, ...coding_agents]
  const twice = names.find((name, at) => names.indexOf(name) !== at || taken.includes(name))
  if (twice !== undefined) throw new AppError("task_invalid", `${twice} names more than one type of worker.`)
  if (names.length > 0 && permission_mode === "plan")
    throw new AppError("task_invalid", "Nothing is run in plan mode, so a worker can't be a command.")
}
