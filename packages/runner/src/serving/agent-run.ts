import type { AgentAccount } from "@switchyard/core/agents/clis/cli"
import { modelAccess } from "@switchyard/core/agents/clis/model-access"
import type { Outcome, ProblemKind } from "@switchyard/core/agents/clis/schema"
import { createPeers } from "@switchyard/core/agents/conversations/peers"
import { createPeople } from "@switchyard/core/agents/conversations/people"
import type { AnsweredQuestion } from "@switchyard/core/agents/conversations/prompt"
import { type AgentInput, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import type { HandOffDecision } from "@switchyard/core/agents/hand-off/decide"
import { QuestionContent } from "@switchyard/core/agents/questions/schema"
import { permissionsOf } from "@switchyard/core/agents/questions/state"
import { lostOutcome, readLooseEnds, turnEnds } from "@switchyard/core/agents/runner/loose-ends"
import { AppError } from "@switchyard/core/errors"
import type { EventOf, NewEvent } from "@switchyard/core/events"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import { MAIN_WORKTREE, namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { HostPolicy } from "@switchyard/core/host-policy"
import { storeArtifact } from "@switchyard/core/kernel/artifact"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import { ModelError, type ModelErrorType } from "@switchyard/core/models/errors"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { type RunContext, RunParked, type RunWork } from "@switchyard/core/work/runs/run-context"
import { type RunState, runOf } from "@switchyard/core/work/runs/state"
import type { Attachments } from "../agents/attachments.ts"
import type { AgentDecisions, Decisions } from "../agents/decisions.ts"
import { type FoundSession, findSession } from "../agents/found-session.ts"
import { type ResumePoint, readResumePoint } from "../agents/resume-point.ts"
import { isAnswer, prepareHome, runTask, type Task, type TaskDeps, type TaskEnd } from "../agents/task.ts"
import { ownFiles } from "../files/files.ts"
import { openGateway } from "../gateway/gateway.ts"
import { leftInAgentMerge } from "../git/worktrees/merge-for-agent.ts"
import type { HostSetting } from "../network/agent-hosts.ts"
import { guardChanges } from "../project/guard-changes.ts"
import { listed } from "../project/listed.ts"
import { openProject, type Project } from "../project/project.ts"
import type { ProjectDeps } from "../project/project-deps.ts"
import { bringScreenshots } from "../project/screenshots.ts"
import { neededBy, type Prepared, variablesOf } from "../project/setup/prepare-worktree.ts"
import { recordSynced } from "../project/worktree-location.ts"
import type { Sandbox, WorktreeUser } from "../sandbox/sandbox.ts"
import type { ToolAddress, ToolEndpoint } from "../tools/endpoint.ts"
import { finishTools } from "../tools/finish-worktree.ts"
import { peerTools } from "../tools/peer-tools.ts"
import { personTools } from "../tools/person-tools.ts"
import { serveTools } from "../tools/serve-tools.ts"
import { openAgentNetwork } from "./agent-network.ts"
import { openLimits, type RunLimits } from "./limits.ts"
import type { WorktreeServices } from "./worktree-services.ts"

export interface WorkDeps
  extends Omit<TaskDeps, "append" | "attachments" | "decisions" | "storeArtifact" | "user">,
    SessionLogDeps {
  blobs: Blobs
  hosts: HostPolicy
  /** The hosts that agents may reach from a sandbox; undefined where they have the machine's network. */
  agentHosts: HostSetting | undefined
  attachments: Attachments
  decisions: Decisions
  /** Called when a run has begun, or no longer needs, to wait for people: that is listed outside the session. */
  askedSomething: (runId: string) => void
  worktrees: WorktreeServices
  /** Present if agents run as other users. */
  sandbox?: Sandbox
  tools: ToolEndpoint
  /** Called for a run whose agent has begun something that is seen to outside the session. */
  moved: (runId: string) => void
  /** The credentials of a run's account, or of the one of this name that goes on with it, and its home for that user. */
  accountOf: (which: {
    runId: string
    user: WorktreeUser | undefined
    fallback: string | undefined
  }) => AgentAccount & { home: string }
}

/** The work of an agent's run: opens its project, runs its task, with other accounts where limits are met, and saves its files. */
export function createAgentRun(deps: WorkDeps): RunWork<AgentInput> {
  return async (context) => {
    const { sid, runId, signal } = context
    const { agentId, worktree } = placeOf(context)
    const { project: place, commands, autosave } = deps.worktrees.of(worktree)
    // Commands that were asked for before finish first.
    await commands.idle({ signal })
    const session = await openSessionLog(deps, sid, { signal })
    const limits = await openLimits(context, deps.clock.now)
    const past = await readResumePoint(deps, session, { runId, agentId, input: context.input }, { signal })
    await endInterruptedTurn(deps, context)
    await place.background.stop()
    const { repository, base_branch, branch } = context.input
    const about = { sid, repository, state: await context.catchUp(), append: context.write }
    const project = await openProject(place, { ...about, baseBranch: base_branch, branch }, { signal })
    await context.write(project.events)
    const prepared = await prepare(deps, place, context, project)
    await mergeFirst(project, context)
    const decisions = await beginDecisions(deps, context, agentId)
    const answered = await readAnswered(deps.blobs, context)
    const guard = await guardChanges(place, { sid, cwd: project.cwd, runId, state: context.state() }, decisions, {
      signal,
    })
    if (answered?.answer.choice === "allow") decisions.allowOnce(answered.question)
    const saveWork = () => commands.alone(async () => void (await autosave.save({ signal })))

    parkFor(await limits.begin())
    let outcome: Outcome
    for (let isFirst = true; ; isFirst = false) {
      const end = await runProgram(deps, context, {
        ...{ session, agentId, place, project, autosave, decisions, limits, prepared },
        ...(isFirst ? { past, answered } : { past: NOTHING_BEFORE, answered: undefined }),
      })
      outcome = end.outcome
      await context.record(await guard.putBack())
      signal.throwIfAborted()
      if (end.parkedFor !== undefined) {
        await saveWork()
        throw new RunParked("an agent waits for an answer", { question: end.parkedFor })
      }
      // The work is saved, so that its successor finds it, also a runner on another host.
      if (limits.isPassing(outcome)) await saveWork()
      const decision = await limits.afterTurn(outcome)
      parkFor(decision)
      if (decision.type !== "switch") break
    }
    await commands.alone(async () => {
      const { workspace: before } = context.state()
      const conflicts = await leftInAgentMerge(project.worktree, { signal })
      // First, as it stages the worktree: the other readings then find it staged.
      const unsaved = await project.save(firstLine(context.input.task), context.state(), { signal })
      await save(place, context, unsaved)
      const isMuch = "later" in unsaved
      if (!isMuch) await recordSynced(place, about, { before, after: context.state().workspace })
      const done = await Promise.all([commands.publish({ brief: isMuch, signal }), autosave.save({ signal })])
      const { saving } = worktreeOf(context.state(), worktree)
      if (!saving && !done.includes(false)) commands.conclude(runId)
      if (conflicts.length > 0) throw unresolved(conflicts)
    })
    if (outcome.type === "needs_continuation" && !isAnswer(context)) context.warn(NO_SUMMARY)
    if (outcome.type !== "completed" && outcome.type !== "needs_continuation") throw failureOf(outcome)
  }
}

/** The session of its program in the person's own home with which the task goes on. */
async function takeOverSession(
  { host }: Pick<WorkDeps, "host">,
  { resume_session: session, cli, repository }: AgentInput,
  cwd: string,
  user: WorktreeUser | undefined,
): Promise<FoundSession | undefined> {
  if (session === undefined) return undefined
  if (user) throw new AppError("task_invalid", "Agents run as another user here, which can't read your sessions.")
  const found = await findSession(ownFiles, host.HOME, { cli, session, repository, cwd })
  if (found) return found
  const which = session === "latest" ? "no session of this repository" : "no session with this id"
  throw new AppError("task_invalid", `There is ${which} in your home.`, { resume_session: session })
}

/** Merges the branch that the task names into the worktree, for the agent to resolve. */
async function mergeFirst({ worktrees }: Project, { input, signal }: RunContext<AgentInput>): Promise<void> {
  const { merge_branch: branch } = input
  if (branch === undefined) return
  await worktrees.mergeForAgent(branch, { signal })
}

function unresolved(conflicts: string[]): AppError {
  const message = `The agent left conflicts in ${listed(conflicts)}, so the merge was undone. The work is as it was before.`
  return new AppError("worktree_conflict", message, { files: conflicts })
}

/** Makes the worktree ready to work in, before the agent's first turn in it. */
async function prepare(
  deps: WorkDeps,
  { preparation, worktree }: ProjectDeps,
  context: RunContext<AgentInput>,
  project: Project,
): Promise<Prepared | undefined> {
  const { input, signal } = context
  const { agentId } = placeOf(context)
  const terminal = {
    ...deps,
    ...input.terminal,
    attachments: deps.attachments.ofAgent(agentId),
    append: (events: NewEvent[]) => context.record(events),
    sessionSeq: () => Math.max(deps.sessionSeq(), context.state().head),
  }
  return context.awaitExternal(
    async () => await preparation?.prepare(project.worktree, { worktree, setup: input.setup }, terminal, { signal }),
  )
}

/** The work of one program on a run: that of the task's account, or of one that took over. */
interface ProgramWork {
  session: SessionLog
  agentId: string
  place: ProjectDeps
  project: Project
  autosave: ReturnType<WorkDeps["worktrees"]["of"]>["autosave"]
  decisions: AgentDecisions
  limits: RunLimits
  prepared: Prepared | undefined
  past: ResumePoint
  answered: AnsweredQuestion | undefined
}

const NOTHING_BEFORE: ResumePoint = { nativeSession: null, followUp: true, interrupted: false }

/** Runs the task with the program that works on the run now, until it is done, or meets a limit. */
async function runProgram(
  deps: WorkDeps,
  context: RunContext<AgentInput>,
  { session, agentId, place, project, autosave, decisions, limits, prepared, past, answered }: ProgramWork,
): Promise<TaskEnd> {
  const { sid, runId, signal } = context
  const { takenOver, program } = limits
  const input = { ...context.input, ...program }
  const user = deps.sandbox?.userOf(place.worktree, project.repository.isOwn ? "own" : "machine")
  const fallback = takenOver && program.account !== null ? program.account : undefined
  const { home, ...account } = deps.accountOf({ runId, user, fallback })
  const who = { agentId, cli: input.cli, account: input.account, home, disk: user?.files ?? ownFiles }
  const isNew = !takenOver && past.nativeSession === null
  const begun = isNew ? await takeOverSession(deps, input, project.cwd, user) : undefined
  const saved = await autosave.restoreSession(who, { signal })
  await prepareHome(user, home, [...saved, ...(begun?.files ?? [])])
  async function append(events: NewEvent[]): Promise<void> {
    await context.record([...events, ...limits.watch(events)])
    if (events.some(({ type }) => type === "question_asked" || type === "question_withdrawn"))
      deps.askedSomething(runId)
    for (const event of events) {
      if (event.type === "agent_session_opened") autosave.trackSession(who, event.native_session_id)
    }
  }
  // Events that this run has just appended aren't in the runner's own state yet.
  const sessionSeq = () => Math.max(deps.sessionSeq(), context.state().head)
  const { incarnation } = context.state().session
  const storeOutput = (bytes: Uint8Array) => storeArtifact(deps.blobs, { sid, incarnation }, bytes, { signal })
  const images = { sid, incarnation, folder: project.cwd, screenshots: input.screenshots ?? [] }
  const screenshots = await bringScreenshots({ blobs: deps.blobs, files: who.disk }, images, { signal })
  await using reached = await reach(deps, input, account)
  using tools = openTools(deps, session, context, agentId)
  await using network = await openAgentNetwork({ ...deps, append }, { ...reached, cli: input.cli, tools, user })
  const end = await runTask(
    {
      ...deps,
      user,
      attachments: deps.attachments.ofAgent(agentId),
      decisions,
      append,
      limits: limits.stop,
      storeArtifact: storeOutput,
      sessionSeq,
    },
    {
      ...{ input, cwd: project.cwd, home, gitFolder: project.repository.commonDir },
      ...{ notes: { ...project.notes, screenshots }, ...reached, tools, network },
      ...(prepared && { variables: variablesOf(prepared), needs: neededBy(prepared) }),
      resume: takenOver ? takenOver.nativeSession : (past.nativeSession ?? begun?.session ?? null),
      ...{ handedOver: takenOver?.summary, followUp: past.followUp || begun !== undefined },
      ...{ interrupted: past.interrupted, answered },
    },
    { signal },
  )
  if (project.repository.isOwn) await user?.share(project.repository.folder)
  return end
}

/** Leaves the run until its account's limit is over, if that was decided. */
function parkFor(decision: HandOffDecision): void {
  if (decision.type === "park") throw new RunParked("its account's limit is used up", { until: decision.until })
}

/** The address at which this turn's agent, and nobody else, reaches its tools. */
function openTools(
  deps: WorkDeps,
  session: SessionLog,
  { runId, signal, state }: RunContext<AgentInput>,
  agentId: string,
): ToolAddress & Disposable {
  const generation = runOf(state(), runId)?.generation ?? 0
  const caller = { agentId, runId, generation }
  const { timeout } = AbortSignal
  const people = createPeople(deps, session, caller)
  const policy = () => deps.decisions.ofAgent(agentId).policy
  const tools = {
    ...peerTools(createPeers(deps, session, caller), { timeout }),
    ...personTools(people, { timeout }),
    ...finishTools({ ...deps, session, caller, people, policy, timeout }),
  }
  return deps.tools.open(serveTools({ tools, signal, report: deps.report }))
}

/** The agent of the run, and the worktree that it works in. */
function placeOf(context: RunContext<AgentInput>): Pick<RunState, "agentId" | "worktree"> {
  return runOf(context.state(), context.runId) ?? { agentId: MAIN_AGENT, worktree: MAIN_WORKTREE }
}

/** Decisions about the agent from now on. A mode that its task names is its mode from then on. */
async function beginDecisions(
  deps: Pick<WorkDeps, "decisions">,
  context: RunContext<AgentInput>,
  agentId: string,
): Promise<AgentDecisions> {
  const { mode, rules = [] } = context.input
  const decisions = deps.decisions.ofAgent(agentId)
  const before = permissionsOf(context.state(), agentId)
  const isFirst = runOf(context.state(), context.runId)?.generation === 1
  // Another executor of the run may have been told of a change since.
  if (mode !== undefined && mode !== before.mode && isFirst)
    await context.record([{ type: "agent_mode_changed", mode }])
  decisions.begin({
    mode: (isFirst ? mode : undefined) ?? before.mode ?? mode ?? "bypass",
    rules,
    sessionRules: context.state().questions.sessionRules,
    allowed: before.rules,
  })
  return decisions
}

/** The answer to the question for which the run was parked, if the agent hasn't been told of it yet. */
async function readAnswered(blobs: Blobs, context: RunContext<AgentInput>): Promise<AnsweredQuestion | undefined> {
  if (runOf(context.state(), context.runId)?.generation === 1) return undefined
  const asked = new Map<string, EventOf<"question_asked">>()
  let parkedFor: string | undefined
  let answered: EventOf<"question_answered"> | undefined
  for await (const event of context.history()) {
    if (event.type === "question_asked") asked.set(event.question_id, event)
    if (event.type === "run_parked") parkedFor = event.waits_for?.question
    if (event.type === "question_answered") answered = event
    if (event.type === "agent_turn_started") answered = undefined
  }
  const question = answered && asked.get(answered.question_id)
  if (!answered || !question || answered.question_id !== parkedFor) return undefined
  const content = await readField(blobs, question.question, QuestionContent, { signal: context.signal })
  return { question: content, answer: answered.answer }
}

/** Ends in the log what an earlier runner of this run left open. Its terminals were closed with this runner's claim. */
async function endInterruptedTurn({ log, clock }: WorkDeps, context: RunContext<AgentInput>): Promise<void> {
  const { sid, runId, signal } = context
  const state = context.state()
  const run = runOf(state, runId)
  if (!run) return
  const ends = await readLooseEnds(log, { sid, state }, run, { signal })
  const events = turnEnds(ends, lostOutcome(run), clock.now())
  if (events.length > 0) await context.record(events)
}

/**
 * Gives an agent access to its model without the account's key, by a gateway for this task. If the API isn't known, the agent
 * gets the key itself.
 */
async function reach(
  { host, hosts, clock }: Pick<WorkDeps, "host" | "hosts" | "clock">,
  { cli, model }: AgentInput,
  account: AgentAccount,
): Promise<Pick<Task, "account" | "gateway"> & AsyncDisposable> {
  const { apiKey, baseUrl } = account
  const upstream = baseUrl ?? modelAccess[cli].defaultApi(model)
  if (apiKey === null || upstream === null) return { account, [Symbol.asyncDispose]: async () => {} }
  // The program's own API is no caller's choice.
  const checked = baseUrl === null ? undefined : hosts
  const gateway = await openGateway({ apiKey, upstream, hosts: checked, env: host, now: clock.now })
  return {
    account: { apiKey: gateway.token, baseUrl: gateway.url, isDefaultApi: baseUrl === null },
    gateway,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

async function save(
  { worktree }: ProjectDeps,
  context: RunContext<AgentInput>,
  unsaved: Awaited<ReturnType<Project["save"]>>,
): Promise<void> {
  if ("later" in unsaved) {
    return context.write([
      { type: "workspace_save_progressed", ...namedWorktree(worktree), saved: 0, total: unsaved.later },
    ])
  }
  const { changes, leftOut, conflicts, events } = unsaved
  if (changes.length > 0) await context.commit(changes, `agent/${context.runId}/${context.state().head}`)
  // Links and submodules are in the worktree's history; the others exist only on the runner's disk.
  const lost = leftOut.filter(({ reason }) => reason !== "link" && reason !== "submodule")
  if (lost.length > 0) await context.write([{ type: "agent_notice", text: leftOutText(lost) }])
  if (conflicts.length > 0) await context.write([{ type: "agent_notice", text: conflictText(conflicts) }])
  await context.write(events)
}

const REASONS: Record<SkippedFile["reason"], string> = {
  link: "a link",
  submodule: "another repository",
  path: "a name that is no text",
  too_large: "too large",
  no_room: "no room",
  unreadable: "unreadable",
}

function conflictText(conflicts: string[]): string {
  return (
    `Changed in the session while the agent worked, too: ${listed(conflicts)}. The session keeps those changes; ` +
    "the agent's version is in the history of its branch."
  )
}

function leftOutText(lost: SkippedFile[]): string {
  return `Not among the session's files: ${listed(lost.map(({ path, reason }) => `${path} (${REASONS[reason]})`))}.`
}

const NO_SUMMARY =
  "The agent stopped without saying what it did, so it may not have finished. Check its changes before you merge them."

function firstLine(task: string): string {
  return `${(task.trim().split("\n")[0] ?? "").slice(0, 72)}\n`
}

const errorTypes: Partial<Record<ProblemKind, ModelErrorType>> = {
  model_not_found: "invalid_request",
  overloaded: "connection_error",
  network: "connection_error",
  timeout: "connection_error",
}

const usedUp = { billing: "credit", quota_exhausted: "quota", rate_limited: undefined } as const

function failureOf(outcome: Exclude<Outcome, { type: "completed" | "needs_continuation" }>): AppError {
  if (outcome.type === "limit") return new ModelError("rate_limit", outcome.message, { usedUp: usedUp[outcome.kind] })
  if (outcome.type === "auth") return new ModelError("auth_error", outcome.message)
  if (outcome.problem === "cancelled") return new AppError("run_cancelled", outcome.message)
  return new ModelError(errorTypes[outcome.problem] ?? "unknown_error", outcome.message)
}
