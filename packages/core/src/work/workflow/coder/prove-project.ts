import type { RunnableConfig } from "@langchain/core/runnables"
import { AppError } from "../../../errors.ts"
import { formatCount } from "../../../text/format.ts"
import type { Finding } from "../../checks/facts/finding.ts"
import type { Verdict } from "../../gate/schema.ts"
import { describeCheck } from "../../gate/verdict.ts"
import type { NodeDeps } from "../nodes/node-deps.ts"
import type { NodeSpan } from "../nodes/node-journal.ts"
import type { WorkflowState } from "../nodes/state.ts"
import type { Shares } from "../plan/fit-files.ts"
import { modelPath } from "../plan/plan.ts"
import { createDraft } from "../plan/staging.ts"
import { failedCheckTask, readFailure } from "../proof/failed-check.ts"
import { failuresIn } from "../proof/failures.ts"
import { type CorrectedTest, judgeTests } from "../proof/judge-tests.ts"
import type { Literal } from "../proof/literals.ts"
import { describeLosses, findLosses, type Loss, lossesTask } from "../proof/losses.ts"
import { checkFiles } from "../proof/project-check.ts"
import { REVIEW, reviewFiles, reviewTests } from "../proof/review.ts"
import { describeWeakened, judgeUnrun } from "../proof/weakened.ts"
import { describeWishes, missingWishes, wishesTask } from "../proof/wishes.ts"
import type { ReviewFinding } from "../schema.ts"
import { reviewMessage } from "./coder-message.ts"
import { createCoderTools } from "./coder-tools.ts"
import { type CoderVisits, type Project, sideBySide } from "./coder-visits.ts"

/** Maximum number of rounds that fix faults in the whole project before each check. */
const MAX_MENDINGS = 2
/** Maximum number of rounds that repair failed checks, even if each round changes the failures. */
const MAX_ROUNDS = 8
const NAMED_FAULTS = 10
/** Empty rules for a review, which runs no tools. */
const NO_RULES = { isProtected: () => false, onReason: () => {}, onGivingUp: () => {} }
const REVIEW_STEP = "review"

/**
 * Finds faults in a project by static checks, by a review if requested, and by running it if allowed. Has the coder
 * repair the faults. Returns the state for the next round, or undefined once nothing is left to do. Throws
 * `workflow_error` if repairs don't help, because a round didn't change the failures or there were too many rounds.
 */
export async function proveProject(
  deps: NodeDeps,
  visits: CoderVisits,
  project: Project,
  config: RunnableConfig,
): Promise<Partial<WorkflowState> | undefined> {
  const { context, journal } = deps

  /** Runs a review as a visit of the coder. */
  async function visit(review: (span: NodeSpan) => Promise<ReviewFinding[]>, { ofFiles = false } = {}) {
    context.beforeStep()
    const span = await journal.startSpan("coder", config)
    const findings = await review(span)
    const total = project.taskPlan.implementation_steps.length
    await span.finish({ ...(ofFiles && { review: findings }), current_step_idx: total, total_steps: total })
    return findings
  }

  /**
   * Finds requirements in the request that the files don't meet. Runs only once, even if another executor takes over.
   */
  async function review(): Promise<ReviewFinding[]> {
    if (journal.progress.review) return journal.progress.review
    const files = await deps.openFiles()
    const { system, ...about } = await visits.contextOf(project)
    const tools = createCoderTools(createDraft(files), { repair: NO_RULES })
    const prompt = (shares: Shares) =>
      reviewMessage(files, about, REVIEW, { ...deps, ...shares, signal: context.signal })
    return visit((span) => reviewFiles(deps, span, files, { system, tools, prompt }), { ofFiles: true })
  }

  /** Finds tests that were changed by repairs and now contradict the request. */
  async function reviewCorrected(tests: CorrectedTest[]): Promise<ReviewFinding[]> {
    return deps.reviewTests ? visit((span) => reviewTests(deps, span, project.state, tests)) : []
  }

  /** Runs the built project and has the coder repair a failure. Returns undefined if nothing failed. */
  async function repairByRunning(state: WorkflowState, rounds: number, earlier: readonly string[]) {
    const round = rounds + 1
    const ran = await deps.gate.show(round)
    const shown = await judgeTests(deps, { state, round, shown: ran, review: reviewCorrected })
    const { verdict } = shown
    if (verdict.status === "not_run") {
      const unrun = await judgeUnrun(deps, state, shown)
      if (unrun.weakened.length > 0) context.warn(describeWeakened(unrun.weakened))
      context.conclude(unrun.shown.verdict)
      return undefined
    }
    context.conclude(verdict)
    if (verdict.status === "passed") return undefined
    const failures = failuresIn(shown)
    if (earlier.includes(failures)) throw unproven(verdict, "The last repair didn't change any of the failures.")
    if (rounds === MAX_ROUNDS) throw unproven(verdict, `Gave up after ${MAX_ROUNDS} repairs.`)
    const failure = await readFailure(await deps.openFiles(), shown, context)
    const { reported, code, tests } = failure
    const task = { description: failedCheckTask(failure), atFault: [], reported, shown: [...code, ...tests] }
    const reason = await visits.repair({ key: `check:${round}`, ...task }, project, config)
    if (reason !== undefined) throw unproven(verdict, `It wasn't repaired: ${reason}`)
    return { rounds: rounds + 1, mendings: 0, failures: [...earlier, failures] }
  }

  async function mend(found: ToMend[], step: string): Promise<void> {
    const paths = [...new Set(found.map(({ path }) => path))]
    const waiting = paths.map((path) => () => {
      const description = mendingTask(
        found.filter((one) => one.path === path),
        step,
      )
      const atFault = [modelPath(path)]
      return visits.repair({ key: `${step}:${path}`, description, atFault, shown: atFault }, project, config)
    })
    // The number of concurrent files is read in each iteration, because a rate limit may lower it in the middle of a
    // wave.
    while (waiting.length > 0) await sideBySide(waiting.splice(0, deps.filesAtOnce()).map((visit) => visit()))
  }

  /** Has the coder add literals that the files lack, and restore parts that the run removed. */
  async function lookAt(wishes: Literal[], losses: Loss[]): Promise<void> {
    const shown = journal.progress.finished.map(modelPath)
    if (wishes.length > 0) {
      await visits.repair({ key: "look:wishes", description: wishesTask(wishes), atFault: [], shown }, project, config)
    }
    if (losses.length === 0) return
    const atFault = losses.map(({ path }) => path)
    const task = { key: "look:losses", description: lossesTask(losses), atFault, shown: atFault }
    await visits.repair(task, project, config)
  }

  const { mendings = 0, rounds = 0, failures = [] } = project.state
  const { version, manifest } = (await deps.openFiles()).at
  const { checked = [{ version, manifest }] } = project.state
  const faults = (await deps.gate.isAsked(rounds + 1)) ? [] : await checkFiles(deps, project.state.base)
  if (faults.length > 0 && mendings >= mostMendings(project.state)) throw faulty(faults)
  if (faults.length > 0) {
    await mend(faults, `mend:${rounds * 2 * MAX_MENDINGS + mendings + 1}`)
    return { checked, mendings: mendings + 1 }
  }
  const wishes = deps.lastLook ? await missingWishes(deps, project.state.user_prompt) : []
  const losses = deps.lastLook ? await findLosses(deps, project.state, project.plan) : []
  const unplanned = losses.filter(({ isPlanned }) => !isPlanned)
  if (wishes.length + unplanned.length > 0 && !project.state.looked) {
    await lookAt(wishes, unplanned)
    return { checked, looked: true }
  }
  const missing = deps.review && !project.state.reviewed ? await review() : []
  if (missing.length > 0) {
    await mend(missing, REVIEW_STEP)
    return { checked, reviewed: true }
  }
  const repaired = await repairByRunning({ ...project.state, checked }, rounds, failures)
  if (!repaired && wishes.length > 0) context.warn(describeWishes(wishes))
  if (!repaired && losses.length > 0) context.warn(describeLosses(losses))
  return repaired && { checked: [...checked, { version, manifest }], ...repaired }
}

/** The reason for another visit to a file: a fault in it, or something that it lacks. */
type ToMend = Pick<Finding, "path" | "message">

/**
 * Returns the maximum number of rounds of fixing. Additions made after a review or the last look may need additional
 * rounds.
 */
function mostMendings({ reviewed, looked, rounds = 0 }: WorkflowState): number {
  return (reviewed || looked) && rounds === 0 ? 2 * MAX_MENDINGS : MAX_MENDINGS
}

function mendingTask(faults: ToMend[], step: string): string {
  const lines = faults.slice(0, NAMED_FAULTS).map(({ message }) => `- ${message}`)
  const found =
    step === REVIEW_STEP
      ? "A review found what the request asks for and the file doesn't do: add it, unless it is there already. Change nothing else."
      : "A check of the whole project found faults in it. Repair these, and change nothing else."
  return [`The file ${faults[0]?.path} is written. ${found}`, ...lines].join("\n")
}

function faulty(faults: Finding[]): AppError {
  const lines = faults.slice(0, NAMED_FAULTS).map(({ path, message }) => `${path}: ${message}`)
  const count = `All files are written, but ${formatCount(faults.length, "fault")} in them couldn't be fixed.`
  return new AppError("workflow_error", [count, ...lines].join("\n"), {
    paths: [...new Set(faults.map(({ path }) => path))],
  })
}

function unproven(verdict: Verdict, why: string): AppError {
  const failed = verdict.checks
    .filter(({ passed }) => !passed)
    .flatMap((check) => [describeCheck(check), ...(check.errors ?? [])])
  // Even if all checks passed, they may prove nothing, for example because tests were weakened.
  const reasons = verdict.reason === undefined || failed.length > 0 ? failed : [verdict.reason]
  return new AppError(
    "workflow_error",
    ["All files are written, but the project doesn't work.", ...reasons, why].join("\n"),
  )
}
