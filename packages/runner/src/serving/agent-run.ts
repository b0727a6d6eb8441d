import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import type { HandOffDecision } from "@switchyard/core/agents/hand-off/decide"
import { mayPass } from "@switchyard/core/agents/hand-off/limit-state"
import { AppError, settle } from "@switchyard/core/errors"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import type { Unresolved } from "@switchyard/core/files/worktrees/schema"
import { describeRefused, refusedPrompt } from "@switchyard/core/files/worktrees/skipped-files"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import {
  describeUnresolved,
  listFiles,
  markersPrompt,
  unresolvedPrompt,
} from "@switchyard/core/files/worktrees/unresolved"
import type { CommittedFiles, WorktreeLook } from "@switchyard/core/files/worktrees/worktrees"
import { type RunContext, RunParked, type RunWork } from "@switchyard/core/work/runs/run-context"
import { isDone, type TaskEnd } from "../agents/task.ts"
import { isAnswer } from "../agents/task-prompt.ts"
import { damageOf } from "../git/saves/repair.ts"
import { lookAt } from "../git/worktrees/look.ts"
import { leftInAgentMerge } from "../git/worktrees/merge-for-agent.ts"
import { describeSubmodules, findUncommitted } from "../git/worktrees/uncommitted.ts"
import { findUnresolved, markedFiles } from "../git/worktrees/unresolved.ts"
import { listed } from "../project/listed.ts"
import { recordSynced } from "../project/worktree-location.ts"
import { failureOf, warnIfUnfinished } from "./agent-outcome.ts"
import { checkClaims } from "./check-claims.ts"
import { readFinishedTask } from "./finished-task.ts"
import { type AgentWork, type OpenedWork, openAgentWork } from "./open-agent-work.ts"
import { NOTHING_BEFORE, type ProgramWork, runProgram } from "./run-program.ts"
import { saveFiles } from "./save-files.ts"
import type { WorkDeps } from "./work-deps.ts"

type Context = RunContext<AgentInput>

/** Maximum number of additional turns for an agent to fix conflicts that it left behind, or files that git refuses. */
const MAX_RETURNS = 2

/**
 * Returns the function that carries out an agent run. It opens the project, runs the task, hands off when a limit is
 * reached, and saves the files.
 */
export function createAgentRun(deps: WorkDeps): RunWork<AgentInput> {
  return async (context) => {
    const { work, past, answered } = await openAgentWork(deps, context)
    let end = await runTaskOnce(deps, context, work, { past, answered })
    for (let returns = 0; ; ) {
      const kept = await keep(context, work, { mayReturn: isDone(end.outcome) && returns < MAX_RETURNS })
      if (kept.prompt !== undefined) returns++
      else if (await mayEnd(context, work, end, kept)) {
        if (!kept.left && isDone(end.outcome)) await warnOfClaims(deps, context, work, end)
        return conclude(context, end, kept.warning)
      }
      await context.requireBudget()
      end = await runPrograms(deps, context, work, { ...NOTHING_KNOWN, own: end }, kept.prompt)
    }
  }
}

/** Runs the task, unless an earlier executor finished it. */
async function runTaskOnce(
  deps: WorkDeps,
  context: Context,
  work: AgentWork,
  { past, answered }: Pick<OpenedWork, "past" | "answered">,
): Promise<TaskEnd> {
  const { limits } = work
  // Deliver the answer to a question before checking the budget. Otherwise, the run would park because of the budget
  // and ask a second question.
  if (!answered) await context.requireBudget()
  parkFor(await limits.begin())
  const summary = answered ? undefined : await readFinishedTask(context)
  if (!summary) return runPrograms(deps, context, work, { past, answered, own: undefined })
  return { outcome: { type: "completed" }, summary, nativeSession: (limits.takenOver ?? past).nativeSession }
}

const NOTHING_KNOWN = { past: NOTHING_BEFORE, answered: undefined, own: undefined }

/** Runs the task's program. After each hand-off, runs the next program, until a turn ends the task. */
async function runPrograms(
  deps: WorkDeps,
  context: Context,
  work: AgentWork,
  before: Pick<ProgramWork, "past" | "answered" | "own">,
  prompt?: string,
): Promise<TaskEnd> {
  const { limits, guard, verification } = work
  const revision = prompt ?? verification?.revision
  for (let known = before; ; known = NOTHING_KNOWN) {
    const end = await runProgram(deps, context, { ...work, ...known, revision })
    if (end === "busy") {
      const wait = await limits.loginInUse()
      if (wait) throw new RunParked("another task uses its account's login", { until: wait.until, login: true })
      continue
    }
    const reverted = await guard.putBack()
    await context.record(reverted)
    work.written.see(reverted)
    context.signal.throwIfAborted()
    if (end.parked) {
      await saveWork(context, work)
      throw end.parked
    }
    // Save the work now, because the next program's runner may be on another host.
    if (mayPass(end.outcome)) await saveWork(context, work)
    const decision = await limits.afterTurn(end.outcome)
    parkFor(decision)
    if (decision.type !== "switch") return end
  }
}

/** Parks the run until its account's limit resets, if the decision says so. */
function parkFor(decision: HandOffDecision): void {
  if (decision.type === "park") throw new RunParked("its account's limit is used up", { until: decision.until })
}

async function saveWork({ signal }: Context, { commands, autosave }: AgentWork): Promise<void> {
  await commands.alone(async () => void (await autosave.save({ signal })))
}

/** The saved work, or a prompt that asks the agent to continue. */
type Kept =
  | { prompt: string }
  | { prompt?: undefined; left: Unresolved | undefined; isKept: boolean; warning: string | undefined }

interface Saved {
  /** True if the log contains all of the work. */
  isKept: boolean
  /** Files that git can't commit. */
  refused: SkippedFile[]
  /** True if git didn't refuse some of these files in the previous commit. */
  isNew: boolean
  committed: CommittedFiles | undefined
}

/**
 * Commits and saves the work. Returns a prompt instead if the agent may still fix conflicts, an unfinished operation or
 * files that git refuses.
 */
async function keep(context: Context, work: AgentWork, { mayReturn }: { mayReturn: boolean }): Promise<Kept> {
  const { signal } = context
  const { worktree } = work.project
  // Don't ask git about a damaged worktree. Saving the work repairs the worktree.
  const isDamaged = (await damageOf(worktree, { signal })) !== undefined
  const look = isDamaged ? undefined : await lookAt(worktree, { signal })
  const left = look && (await findUnresolved(worktree, { isMerged: look.isMerged, signal }))
  if (left && mayReturn) {
    await saveWork(context, work)
    return { prompt: unresolvedPrompt(left) }
  }
  const { isKept, refused, isNew, committed } = await work.commands.alone(() => commitAndSave(context, work, look))
  const marked = left ? [] : await markedFiles(worktree, { committed, signal })
  if (marked.length > 0 && mayReturn) return { prompt: markersPrompt(marked) }
  if (isNew && mayReturn) return { prompt: refusedPrompt(refused) }
  const { submodules } = committed ? { submodules: [] } : await findUncommitted(worktree, { signal })
  return { left, isKept, warning: warningOf(left, { marked, submodules, refused }) }
}

async function commitAndSave(context: Context, work: AgentWork, look: WorktreeLook | undefined): Promise<Saved> {
  const { place, project, commands, autosave } = work
  const known = new Set(place.refused.get(project.cwd)?.map(({ path }) => path))
  const { signal } = context
  const { workspace: before } = context.state()
  const conflicts = await leftInAgentMerge(project.worktree, { signal })
  // Save first: saving stages the worktree, which the following steps require.
  const unsaved = await project.save(firstLine(context.input.task), context.state(), { look, signal })
  const { refused, committed } = unsaved
  if (refused.length > 0) place.notices.add(describeRefused(refused))
  await saveFiles(place, context, unsaved)
  const isMuch = "later" in unsaved
  await context.write(place.notices.take())
  if (!isMuch) await recordSynced(place, work.about, { before, after: context.state().workspace })
  const about = { committed, signal }
  const done = await Promise.all([commands.publish({ brief: isMuch, ...about }), autosave.save(about)])
  if (conflicts.length > 0) throw unresolved(conflicts)
  return { isKept: !done.includes(false), refused, isNew: refused.some(({ path }) => !known.has(path)), committed }
}

/**
 * Verifies stored work. Returns true if the run may end, or false if the agent should first fix problems. Throws if the
 * work can't be verified because it contains unresolved conflicts.
 */
async function mayEnd(
  { runId, state, signal }: Context,
  { verification, commands, worktree }: AgentWork,
  end: TaskEnd,
  { left, isKept }: Extract<Kept, { isKept: boolean }>,
): Promise<boolean> {
  if (left && verification && isDone(end.outcome)) throw new AppError("not_verified", describeUnresolved(left))
  // Clients read the work from the log once the run has ended. If this runner must stop before all work is in the log,
  // leave it to the next runner to end the run.
  if (!isKept) signal.throwIfAborted()
  const isOver = !isDone(end.outcome) || (await verification?.verify(end)) !== false
  if (isOver && isKept && !worktreeOf(state(), worktree).saving) commands.conclude(runId)
  return isOver
}

/** Ends the run with its warnings. Throws if the agent's task failed. */
function conclude(context: Context, { outcome, summary, refused }: TaskEnd, warning: string | undefined): void {
  if (!isAnswer(context)) warnIfUnfinished(context, { outcome, summary })
  if (warning !== undefined) context.warn(warning)
  if (!isDone(outcome)) throw refused ?? failureOf(outcome)
}

/** Warns if the agent's report doesn't match its work. An error in this check doesn't make the finished task fail. */
async function warnOfClaims(
  { report }: Pick<WorkDeps, "report">,
  { warn, signal }: Context,
  work: AgentWork,
  { summary }: TaskEnd,
): Promise<void> {
  const { error } = await settle(async () => {
    const warning = await checkClaims({ ...work, ...work.project }, summary?.files_changed ?? [], { signal })
    if (warning !== undefined) warn(warning)
  })
  signal.throwIfAborted()
  if (error !== undefined) report(error)
}

/** Returns a warning about work that isn't committed or can't be merged. */
function warningOf(
  left: Unresolved | undefined,
  { marked, submodules, refused }: { marked: string[]; submodules: string[]; refused: SkippedFile[] },
): string | undefined {
  const warnings = [
    ...(left ? [`${describeUnresolved(left)} The work since then isn't committed, and can't be merged.`] : []),
    ...(marked.length > 0 ? [`The work has conflict markers in ${listFiles(marked)}, so it can't be merged.`] : []),
    ...(submodules.length > 0 ? [describeSubmodules(submodules)] : []),
    ...(refused.length > 0 ? [describeRefused(refused)] : []),
  ]
  return warnings.length > 0 ? warnings.join(" ") : undefined
}

function unresolved(conflicts: string[]): AppError {
  const message = `The agent left conflicts in ${listed(conflicts)}, so the merge was undone. The work is as it was before.`
  return new AppError("worktree_conflict", message, { files: conflicts })
}

function firstLine(task: string): string {
  return `${(task.trim().split("\n")[0] ?? "").slice(0, 72)}\n`
}
