import type { Outcome, ProblemKind } from "@switchyard/core/agents/clis/schema"
import type { AnsweredQuestion } from "@switchyard/core/agents/conversations/prompt"
import { type AgentInput, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import type { HandOffDecision } from "@switchyard/core/agents/hand-off/decide"
import { QuestionContent } from "@switchyard/core/agents/questions/schema"
import { permissionsOf } from "@switchyard/core/agents/questions/state"
import { lostOutcome, readLooseEnds, turnEnds } from "@switchyard/core/agents/runner/loose-ends"
import { AppError } from "@switchyard/core/errors"
import type { EventOf, NewEvent } from "@switchyard/core/events"
import { MAIN_WORKTREE } from "@switchyard/core/files/worktrees/names-schema"
import type { Unresolved } from "@switchyard/core/files/worktrees/schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import {
  describeUnresolved,
  listFiles,
  markersPrompt,
  unresolvedPrompt,
} from "@switchyard/core/files/worktrees/unresolved"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { readField } from "@switchyard/core/log/payload"
import { ModelError, type ModelErrorType } from "@switchyard/core/models/errors"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { bakeOffOf, pinBase } from "@switchyard/core/work/bake-offs/pin-base"
import { type RunContext, RunParked, type RunWork } from "@switchyard/core/work/runs/run-context"
import { type RunState, runOf } from "@switchyard/core/work/runs/state"
import type { AgentDecisions } from "../agents/decisions.ts"
import { readResumePoint } from "../agents/resume-point.ts"
import type { TaskEnd } from "../agents/task.ts"
import { isAnswer } from "../agents/task-prompt.ts"
import { damageOf } from "../git/saves/repair.ts"
import { leftInAgentMerge } from "../git/worktrees/merge-for-agent.ts"
import { describeSubmodules, findUncommitted } from "../git/worktrees/uncommitted.ts"
import { findUnresolved, markedFiles } from "../git/worktrees/unresolved.ts"
import { guardChanges } from "../project/guard-changes.ts"
import { listed } from "../project/listed.ts"
import { openProject, type Project } from "../project/project.ts"
import type { ProjectDeps } from "../project/project-deps.ts"
import type { Prepared } from "../project/setup/prepare-worktree.ts"
import { recordSynced } from "../project/worktree-location.ts"
import { readFinishedTask } from "./finished-task.ts"
import { openLimits } from "./limits.ts"
import { reviewWork } from "./review.ts"
import { NOTHING_BEFORE, type ProgramWork, runProgram } from "./run-program.ts"
import { saveFiles } from "./save-files.ts"
import { openVerification, type VerificationMeans } from "./verification.ts"
import type { WorkDeps } from "./work-deps.ts"

/** Creates the work of an agent's run: opens the project, runs the task, hands off at limits, and saves the files. */
export function createAgentRun(deps: WorkDeps): RunWork<AgentInput> {
  return async (context) => {
    const { sid, runId, signal } = context
    const { agentId, worktree } = placeOf(context)
    const { project: place, commands, autosave } = deps.worktrees.of(worktree)
    // Commands that were requested earlier finish first.
    await commands.idle({ signal })
    const session = await openSessionLog(deps, sid, { signal })
    const limits = await openLimits(context, deps.clock.now)
    const past = await readResumePoint(deps, session, { runId, agentId, input: context.input }, { signal })
    await endInterruptedTurn(deps, context)
    await place.background.stop()
    const { repository, base_branch, branch } = context.input
    const about = { sid, repository, state: await context.catchUp(), append: context.write }
    const documents = context.input.setup?.instructions_paths
    const start = { baseBranch: base_branch, branch, pinBase: pinBaseOf(context), documents }
    const project = await openProject(place, { ...about, ...start }, { signal })
    await context.write([...project.events, ...place.notices.take()])
    const prepared = await prepare(deps, place, context, project)
    await mergeFirst(project, context)
    const decisions = await beginDecisions(deps, context, agentId)
    const answered = await readAnswered(deps.blobs, context)
    const means: VerificationMeans = {
      deps: deps.checks,
      review: (reviewer, asked) => reviewWork(deps, context, reviewer, asked),
    }
    const verification = isAnswer(context) ? undefined : await openVerification(means, context, project)
    project.notes.checks.push(...(verification?.checks ?? []))
    const work = { session, agentId, place, project, autosave, decisions, limits, prepared }
    const guard = await guardChanges(place, { sid, cwd: project.cwd, runId, state: context.state() }, decisions, {
      signal,
    })
    if (answered?.answer.choice === "allow") decisions.allowOnce(answered.question)
    const saveWork = () => commands.alone(async () => void (await autosave.save({ signal })))

    /** Runs the task's program, and its successors after hand-offs, until a turn ends the task. */
    async function runPrograms(
      before: Pick<ProgramWork, "past" | "answered" | "own">,
      sentBack?: string,
    ): Promise<TaskEnd> {
      const revision = sentBack ?? verification?.revision
      for (let known = before; ; known = NOTHING_KNOWN) {
        const end = await runProgram(deps, context, { ...work, ...known, revision })
        if (end === "busy") {
          const wait = await limits.loginInUse()
          if (wait) throw new RunParked("another task uses its account's log-in", { until: wait.until, login: true })
          continue
        }
        await context.record(await guard.putBack())
        signal.throwIfAborted()
        if (end.parked) {
          await saveWork()
          throw end.parked
        }
        // Saved so that the successor finds the work, even if its runner is on another host.
        if (limits.isPassing(end.outcome)) await saveWork()
        const decision = await limits.afterTurn(end.outcome)
        parkFor(decision)
        if (decision.type !== "switch") return end
      }
    }

    /** Commits and saves the work. Returns true if the log contains all of it. */
    async function keepWork(): Promise<boolean> {
      const { workspace: before } = context.state()
      const conflicts = await leftInAgentMerge(project.worktree, { signal })
      // Saving comes first because it stages the worktree, which the following steps rely on.
      const unsaved = await project.save(firstLine(context.input.task), context.state(), { signal })
      await saveFiles(place, context, unsaved)
      const isMuch = "later" in unsaved
      await context.write(place.notices.take())
      if (!isMuch) await recordSynced(place, about, { before, after: context.state().workspace })
      const done = await Promise.all([commands.publish({ brief: isMuch, signal }), autosave.save({ signal })])
      if (conflicts.length > 0) throw unresolved(conflicts)
      return !done.includes(false)
    }

    async function sendBack(own: TaskEnd, prompt: string): Promise<TaskEnd> {
      await context.requireBudget()
      return runPrograms({ ...NOTHING_KNOWN, own }, prompt)
    }

    // An answer reaches the agent first. Otherwise the run would park for a second question.
    if (!answered) await context.requireBudget()
    parkFor(await limits.begin())
    const finished = answered ? undefined : await readFinishedTask(context)
    let end: TaskEnd = finished
      ? { outcome: { type: "completed" }, summary: finished, nativeSession: (limits.takenOver ?? past).nativeSession }
      : await runPrograms({ past, answered, own: undefined })
    let warning: string | undefined
    for (let returns = 0; ; ) {
      const mayReturn = isDone(end.outcome) && returns < MAX_RETURNS
      // The save repairs a damaged worktree.
      const isDamaged = (await damageOf(project.worktree, { signal })) !== undefined
      const left = isDamaged ? undefined : await findUnresolved(project.worktree, { signal })
      if (left && mayReturn) {
        returns++
        await saveWork()
        end = await sendBack(end, unresolvedPrompt(left))
        continue
      }
      const isKept = await commands.alone(keepWork)
      const marked = left ? [] : await markedFiles(project.worktree, { signal })
      if (marked.length > 0 && mayReturn) {
        returns++
        end = await sendBack(end, markersPrompt(marked))
        continue
      }
      const { submodules } = await findUncommitted(project.worktree, { signal })
      warning = warningOf(left, marked, submodules)
      if (left && verification && isDone(end.outcome)) throw new AppError("not_verified", describeUnresolved(left))
      // Clients read the work from the log once the run ends, so a runner that must stop leaves the end to the next.
      if (!isKept) signal.throwIfAborted()
      const isOver = !isDone(end.outcome) || (await verification?.verify(end)) !== false
      if (isOver && isKept && !worktreeOf(context.state(), worktree).saving) commands.conclude(runId)
      if (isOver) break
      await context.requireBudget()
      end = await runPrograms({ ...NOTHING_KNOWN, own: end })
    }
    const { outcome, summary, refused } = end
    if (!isAnswer(context)) warnIfUnfinished(context, { outcome, summary })
    if (warning !== undefined) context.warn(warning)
    if (!isDone(outcome)) throw refused ?? failureOf(outcome)
  }
}

/** Turns in which an agent may resolve conflicts that it left. */
const MAX_RETURNS = 2

/** Returns a warning about work that isn't committed or can't be merged. */
function warningOf(left: Unresolved | undefined, marked: string[], submodules: string[]): string | undefined {
  const warnings = [
    ...(left ? [`${describeUnresolved(left)} The work since then isn't committed, and can't be merged.`] : []),
    ...(marked.length > 0 ? [`The work has conflict markers in ${listFiles(marked)}, so it can't be merged.`] : []),
    ...(submodules.length > 0 ? [describeSubmodules(submodules)] : []),
  ]
  return warnings.length > 0 ? warnings.join(" ") : undefined
}

const NOTHING_KNOWN = { past: NOTHING_BEFORE, answered: undefined, own: undefined }

/** Outcome of a turn after which the agent considers its task done. */
type Done = Extract<Outcome, { type: "completed" | "needs_continuation" }>

function isDone(outcome: Outcome): outcome is Done {
  return outcome.type === "completed" || outcome.type === "needs_continuation"
}

/** Warns if the agent doesn't call its work done. Throws if it gave up. */
function warnIfUnfinished(
  { warn }: RunContext<AgentInput>,
  { outcome, summary }: Pick<TaskEnd, "outcome" | "summary">,
): void {
  if (outcome.type === "needs_continuation") warn(NO_SUMMARY)
  const { completion_status: status = "success", change_summary: words = "" } = summary ?? {}
  if (outcome.type !== "completed" || status === "success") return
  const text = `The agent itself calls its work "${status}": ${words}`
  if (status !== "partial") throw new AppError("task_unfinished", text)
  warn(text)
}

/** Merges the branch that the task names into the worktree. The agent resolves conflicts. */
async function mergeFirst({ worktrees }: Project, { input, signal }: RunContext<AgentInput>): Promise<void> {
  const { merge_branch: branch } = input
  if (branch === undefined) return
  await worktrees.mergeForAgent(branch, { signal })
}

function unresolved(conflicts: string[]): AppError {
  const message = `The agent left conflicts in ${listed(conflicts)}, so the merge was undone. The work is as it was before.`
  return new AppError("worktree_conflict", message, { files: conflicts })
}

/** Prepares the worktree before the agent's first turn in it. */
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

/** Returns a pin that starts all entrants of a bake-off at one commit, even if the branch moves. Else undefined. */
function pinBaseOf({ runId, state, decide }: RunContext<AgentInput>) {
  if (!bakeOffOf(state(), runId)) return undefined
  return async (commit: string) => {
    await decide(pinBase(runId, commit))
    return bakeOffOf(state(), runId)?.baseCommit ?? commit
  }
}

/** Parks the run until its account's limit resets, if the decision says so. */
function parkFor(decision: HandOffDecision): void {
  if (decision.type === "park") throw new RunParked("its account's limit is used up", { until: decision.until })
}

/** Returns the run's agent and its worktree. */
function placeOf(context: RunContext<AgentInput>): Pick<RunState, "agentId" | "worktree"> {
  return runOf(context.state(), context.runId) ?? { agentId: MAIN_AGENT, worktree: MAIN_WORKTREE }
}

/** Begins the decisions about the agent. A mode that the task names becomes the agent's mode. */
async function beginDecisions(
  deps: Pick<WorkDeps, "decisions">,
  context: RunContext<AgentInput>,
  agentId: string,
): Promise<AgentDecisions> {
  const { mode, rules = [] } = context.input
  const decisions = deps.decisions.ofAgent(agentId)
  const before = permissionsOf(context.state(), agentId)
  const isFirst = runOf(context.state(), context.runId)?.generation === 1
  // An earlier executor of the run may have recorded a later change.
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

/** Returns the answer to the question that parked the run, if the agent hasn't received it yet. */
async function readAnswered(blobs: Blobs, context: RunContext<AgentInput>): Promise<AnsweredQuestion | undefined> {
  if (runOf(context.state(), context.runId)?.generation === 1) return undefined
  const asked = new Map<string, EventOf<"question_asked">>()
  let parkedFor: string | undefined
  let answered: EventOf<"question_answered"> | undefined
  for await (const event of context.history()) {
    // Questions about a budget come from the platform, not from the agent.
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

/** Ends the turn that an earlier runner of this run left open in the log. This runner's claim closed its terminals. */
async function endInterruptedTurn({ log, clock }: WorkDeps, context: RunContext<AgentInput>): Promise<void> {
  const { sid, runId, signal } = context
  const state = context.state()
  const run = runOf(state, runId)
  if (!run) return
  const ends = await readLooseEnds(log, { sid, state }, run, { signal })
  const events = turnEnds(ends, lostOutcome(run), clock.now())
  if (events.length > 0) await context.record(events)
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

const usedUp = {
  billing: "credit",
  quota_exhausted: "quota",
  context_full: undefined,
  rate_limited: undefined,
} as const

function failureOf(outcome: Exclude<Outcome, Done>): AppError {
  if (outcome.type === "limit") return new ModelError("rate_limit", outcome.message, { usedUp: usedUp[outcome.kind] })
  if (outcome.type === "auth") return new ModelError("auth_error", outcome.message)
  if (outcome.problem === "repeating") return new AppError("task_unfinished", outcome.message)
  if (outcome.problem === "cancelled") return new AppError("run_cancelled", outcome.message)
  return new ModelError(errorTypes[outcome.problem] ?? "unknown_error", outcome.message)
}
