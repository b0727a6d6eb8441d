import { createWrittenFiles, type WrittenFiles } from "@switchyard/core/agents/conversations/claims"
import type { AnsweredQuestion } from "@switchyard/core/agents/conversations/prompt"
import { type AgentInput, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { QuestionContent } from "@switchyard/core/agents/questions/schema"
import { permissionsOf } from "@switchyard/core/agents/questions/state"
import { lostOutcome, readLooseEnds, turnEnds } from "@switchyard/core/agents/runner/loose-ends"
import type { EventOf, NewEvent } from "@switchyard/core/events"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { bakeOffOf, pinBase } from "@switchyard/core/work/bake-offs/pin-base"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { type RunState, runOf } from "@switchyard/core/work/runs/state"
import type { AgentDecisions, BegunPolicy } from "../agents/decisions.ts"
import { readEarlierRuns, readResumePoint } from "../agents/resume-point.ts"
import { isAnswer } from "../agents/task-prompt.ts"
import { readWork } from "../git/worktrees/worktree-record.ts"
import { guardChanges } from "../project/guard-changes.ts"
import { openProject, type Project } from "../project/project.ts"
import type { ProjectDeps } from "../project/project-deps.ts"
import type { Prepared } from "../project/setup/prepare-worktree.ts"
import { readAllWork, takeOverEarlierWork } from "./earlier-work.ts"
import { openLimits } from "./limits.ts"
import { openRules } from "./open-rules.ts"
import { reviewWork } from "./review.ts"
import { setupConsent } from "./setup-consent.ts"
import { openVerification, type VerificationMeans } from "./verification.ts"
import type { WorkDeps } from "./work-deps.ts"

/** Resources of an agent's run, such as its worktree, its limits and its guards. */
export type AgentWork = OpenedWork["work"]

/** An agent's work, and what its first program needs to know about the run's earlier executors. */
export type OpenedWork = Awaited<ReturnType<typeof openAgentWork>>

/** Opens a run's project and prepares its worktree. Ends turns that a lost executor left open. */
export async function openAgentWork(deps: WorkDeps, context: RunContext<AgentInput>) {
  const { sid, runId, input, signal } = context
  const { agentId, worktree } = placeOf(context)
  const { project: place, commands, autosave } = deps.worktrees.of(worktree)
  // Let earlier commands finish first.
  await commands.idle({ signal })
  const session = await openSessionLog(deps, sid, { signal })
  const recall = async () => readAllWork(context, await readEarlierRuns(deps, session, { runId, agentId }, { signal }))
  const limits = await openLimits(context, { now: deps.clock.now, readWork: recall })
  const past = await readResumePoint(deps, session, { runId, agentId, input }, { signal })
  const earlierWork = limits.takenOver ? undefined : await takeOverEarlierWork(context, past.unknown)
  await endInterruptedTurn(deps, context)
  await place.background.stop()
  const about = { sid, repository: input.repository, state: await context.catchUp(), append: context.write }
  const documents = input.setup?.instructions_paths
  const start = { baseBranch: input.base_branch, branch: input.branch, pinBase: pinBaseOf(context), documents }
  const project = await openProject(place, { ...about, ...start }, { signal })
  await context.write([...project.events, ...place.notices.take()])
  const startCommit = (await readWork(project.worktree)).base_commit
  const rules = await openRules(context, project, worktree)
  const written = await openWrittenFiles(context)
  const prepared = await prepare(deps, place, context, project)
  await mergeFirst(project, context)
  const decisions = await beginDecisions(deps, context, { agentId, repository: rules })
  const answered = await readAnswered(deps.blobs, context)
  const means: VerificationMeans = {
    deps: { ...deps.checks, tools: prepared?.installed },
    review: (reviewer, asked) => reviewWork(deps, context, reviewer, asked),
  }
  const verification = isAnswer(context) ? undefined : await openVerification(means, context, project)
  project.notes.checks.push(...(verification?.checks ?? []))
  const guarded = { sid, cwd: project.cwd, runId, state: context.state() }
  const guard = await guardChanges(place, guarded, decisions, { signal })
  if (answered?.answer.choice === "allow") decisions.allowOnce(answered.question)
  const work = {
    ...{ session, agentId, worktree, place, commands, autosave, project, about, prepared },
    ...{ decisions, limits, guard, verification, recall, startCommit, written, rules: rules?.rules },
  }
  return { work, past: { ...past, earlierWork }, answered }
}

/** Collects the files that the agent's tools write. Includes files written while earlier executors had the run. */
async function openWrittenFiles({ runId, state, history }: RunContext<AgentInput>): Promise<WrittenFiles> {
  const written = createWrittenFiles()
  if (runOf(state(), runId)?.generation === 1) return written
  for await (const event of history()) written.see([event])
  return written
}

/** Merges the branch named in the task into the worktree. The agent resolves any conflicts. */
async function mergeFirst({ worktrees }: Project, { input, signal }: RunContext<AgentInput>): Promise<void> {
  const { merge_branch: branch } = input
  if (branch === undefined) return
  await worktrees.mergeForAgent(branch, { signal })
}

/** Prepares the worktree before the agent's first turn in that worktree. */
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
  const { incarnation } = context.state().session
  const run = { runId: context.runId, incarnation, admit: setupConsent(context) }
  return context.awaitExternal(
    async () =>
      await preparation?.prepare(project.worktree, { worktree, setup: input.setup, ...run }, terminal, { signal }),
  )
}

/**
 * Returns a function that pins the commit from which the agents of a comparison start, so that all of them start at the
 * same commit even if the branch moves. Returns undefined for other runs.
 */
function pinBaseOf({ runId, state, decide }: RunContext<AgentInput>) {
  if (!bakeOffOf(state(), runId)) return undefined
  return async (commit: string) => {
    await decide(pinBase(runId, commit))
    return bakeOffOf(state(), runId)?.baseCommit ?? commit
  }
}

/** Returns the run's agent and its worktree. */
function placeOf(context: RunContext<AgentInput>): Pick<RunState, "agentId" | "worktree"> {
  return runOf(context.state(), context.runId) ?? { agentId: MAIN_AGENT, worktree: MAIN_WORKTREE }
}

/** Initialises the agent's permissions and decisions. If the task names a mode, that becomes the agent's mode. */
async function beginDecisions(
  deps: Pick<WorkDeps, "decisions">,
  context: RunContext<AgentInput>,
  { agentId, repository }: { agentId: string } & Pick<BegunPolicy, "repository">,
): Promise<AgentDecisions> {
  const { mode, rules = [] } = context.input
  const decisions = deps.decisions.ofAgent(agentId)
  const before = permissionsOf(context.state(), agentId)
  const isFirst = runOf(context.state(), context.runId)?.generation === 1
  // If an earlier executor of the run exists, a person may have changed the mode since, so don't reset it.
  if (mode !== undefined && mode !== before.mode && isFirst)
    await context.record([{ type: "agent_mode_changed", mode }])
  decisions.begin({
    mode: (isFirst ? mode : undefined) ?? before.mode ?? mode ?? "bypass",
    rules,
    repository,
    sessionRules: context.state().questions.sessionRules,
    allowed: before.rules,
  })
  return decisions
}

/** Returns the answer to the question that parked the run, if the agent hasn't received it yet. */
async function readAnswered(blobs: Blobs, context: RunContext<AgentInput>): Promise<AnsweredQuestion | undefined> {
  if (runOf(context.state(), context.runId)?.generation === 1) return undefined
  const asked = new Map<string, EventOf<"question_asked">>()
  let parkedFor: string | undefined
  let answered: EventOf<"question_answered"> | undefined
  for await (const event of context.history()) {
    // Skip questions about a budget, because the platform asks them and not the agent.
    if (event.type === "question_asked" && event.budget === undefined) asked.set(event.question_id, event)
    if (event.type === "run_parked") parkedFor = event.waits_for?.question
    if (event.type === "question_answered") answered = event
    if (event.type === "agent_turn_started") answered = undefined
  }
  const question = answered && asked.get(answered.question_id)
  if (!answered || !question || answered.question_id !== parkedFor) return undefined
  const content = await readField(blobs, question.question, QuestionContent, { signal: context.signal })
  return { question: content, answer: answered.answer }
}

/**
 * Ends the turn that an earlier runner of this run left open in the log. When this runner claimed the session, the
 * turn's terminals were closed.
 */
async function endInterruptedTurn({ log, clock }: WorkDeps, context: RunContext<AgentInput>): Promise<void> {
  const { sid, runId, signal } = context
  const state = context.state()
  const run = runOf(state, runId)
  if (!run) return
  const ends = await readLooseEnds(log, { sid, state }, run, { signal })
  const events = turnEnds(ends, lostOutcome(run), clock.now())
  if (events.length > 0) await context.record(events)
}
