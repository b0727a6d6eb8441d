import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { AppError } from "@switchyard/core/errors"
import type { EventOf, NewEvent } from "@switchyard/core/events"
import { findChecks } from "@switchyard/core/work/gate/find-checks"
import type { Verdict } from "@switchyard/core/work/gate/schema"
import { reportsTests } from "@switchyard/core/work/gate/silent-tests"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import { type Judgement, judge, withReview } from "@switchyard/core/work/verification/judge"
import type { Review, Reviewer } from "@switchyard/core/work/verification/review-schema"
import { type FailedAttempt, revisionPrompt } from "@switchyard/core/work/verification/revision-prompt"
import type { VerificationPlan } from "@switchyard/core/work/verification/schema"
import { changedTests, describeTests, findTampering, judgeOwnTests } from "@switchyard/core/work/verification/tampering"
import type { TaskEnd } from "../agents/task.ts"
import { checkCommit } from "../gate/check-commit.ts"
import { type Commit, filesOfCommit, projectOfFiles } from "../gate/commit-files.ts"
import { compareCommits } from "../gate/compare-commits.ts"
import type { WorkdirDeps } from "../gate/workdir.ts"
import { headOf } from "../git/plumbing/repository.ts"
import { withoutReplacements } from "../git/plumbing/without-replacements.ts"
import type { Project } from "../project/project.ts"
import type { reviewWork } from "./review.ts"

/** Verification of a run's work against its task. */
export interface Verification {
  /** Commands that will check the work, as listed in the agent's prompt. */
  readonly checks: string[]
  /** Prompt that describes the problems found by the last attempt. Undefined if that attempt didn't fail. */
  readonly revision: string | undefined
  /**
   * Checks the head commit of the work's branch and records the run's verdict. Returns false if the agent should fix
   * problems. Throws `not_verified` after the last attempt, or if another attempt can't help.
   */
  verify(end: Pick<TaskEnd, "outcome" | "summary">): Promise<boolean>
}

type Context = RunContext<AgentInput>

export interface VerificationMeans {
  /** Dependencies for running the project's checks. */
  deps: WorkdirDeps
  /** Has another agent review a commit. */
  review: (reviewer: Reviewer, asked: Parameters<typeof reviewWork>[3]) => Promise<Review>
}

/** Starts or resumes a run's verification before its agent's turn. Returns undefined for runs without verification. */
export async function openVerification(
  { deps, review }: VerificationMeans,
  context: Context,
  { worktree }: Pick<Project, "worktree">,
): Promise<Verification | undefined> {
  const { input, signal } = context
  const { verification: plan } = input
  if (plan === undefined) return undefined
  const git = withoutReplacements(worktree.git)
  const { repository, branch } = worktree
  const head = () => headOf(git, repository, branch, { signal })
  const at = (commit: string): Commit => ({ git, repository: repository.folder, commit })
  const past = await readPast(context)
  const planned = past.planned ?? (await begin(context, plan, at(await head())))
  const { base_commit: base } = planned
  const { commands } = plan
  const mayChangeTests = plan.allow_test_changes || input.merge_branch !== undefined
  let { attempts, failed } = past
  const checked = new Set(past.commits)

  async function attempt(end: Pick<TaskEnd, "outcome" | "summary">, commit: string): Promise<boolean> {
    attempts++
    const comparison = await compareCommits(at(base), at(commit), { signal })
    const { verdict, output } = await check(deps, context, { ...at(commit), commands })
    const sinceChecks = await Promise.all([...checked].map((one) => compareCommits(at(one), at(commit), { signal })))
    const own = judgeOwnTests(sinceChecks, comparison.base.has, { commands })
    checked.add(commit)
    const paths = new Set(mayChangeTests ? [] : changedTests(comparison))
    const hadTests = planned.checks.some(({ name }) => name === "test")
    const original =
      paths.size > 0 && hadTests && verdict.status === "passed"
        ? await check(deps, context, { ...at(commit), commands, tests: { commit: base, paths } })
        : undefined
    const byChecks = judge({
      ...{ outcome: end.outcome.type, summary: end.summary, commit, verdict },
      changed: comparison.changedPaths,
      checksBefore: planned.checks.map(({ name }) => name),
      checksAfter: findChecks(comparison.head, commands).map(({ name }) => name),
      reportsTests: reportsTests(comparison.head, commands ?? {}),
      tampering: mayChangeTests ? [] : [...findTampering(comparison, commands), ...own.weakened],
      changedTests: [...describeTests(comparison), ...own.changed],
      originalTests: original?.verdict,
    })
    const reviewed =
      plan?.reviewer && isEnough(byChecks)
        ? await review(plan.reviewer, {
            ...{ task: input.task, summary: end.summary, verdict: byChecks.verdict, commit, at: at(commit), base },
            ...{ attempt: attempts, maxAttempts: planned.max_attempts },
          })
        : undefined
    const judged = reviewed ? withReview(byChecks, reviewed) : byChecks
    const { result, summary, issues } = judged
    const passed = isEnough(judged)
    const about = { attempt_number: attempts, commit, passed, result, summary, issues, verdict: judged.verdict }
    const event = { type: "verification_attempt" as const, ...runOfEvent(context), ...about }
    await context.write([{ ...event, original_tests: original?.verdict, review: reviewed }])
    context.conclude(judged.verdict)
    if (result === "nothing_to_check") context.warn(summary)
    if (result === "not_possible") throw notVerified(summary, [judged.verdict.reason ?? ""], commit)
    if (!passed && attempts >= planned.max_attempts) throw notVerified(summary, issues, commit)
    const text = { attempt: attempts, maxAttempts: planned.max_attempts, issues }
    const isReview = reviewed?.passed === false
    failed = passed ? undefined : { ...text, output: original?.output || output, isReview }
    return passed
  }

  return {
    checks: planned.checks.map(({ command }) => command),
    get revision() {
      return failed && revisionPrompt(failed)
    },
    async verify(end) {
      for (;;) {
        const commit = await head()
        if (!(await attempt(end, commit))) return false
        // The result only counts if the checked commit is still the branch's head.
        if ((await head()) === commit) return true
        if (attempts >= planned.max_attempts)
          throw notVerified("The branch moved while it was being checked.", [], commit)
      }
    },
  }
}

function isEnough({ result }: Judgement): boolean {
  return result === "passed" || result === "nothing_to_check"
}

async function begin(context: Context, { commands, max_attempts }: VerificationPlan, base: Commit) {
  const { signal } = context
  const files = await filesOfCommit(base, { signal })
  const checks = findChecks(await projectOfFiles(base, files, { signal }), commands)
  const planned = {
    base_commit: base.commit,
    checks: checks.map(({ name, command }) => ({ name, command })),
    max_attempts,
  }
  await context.write([{ type: "verification_planned", ...runOfEvent(context), ...planned }])
  return planned
}

interface Past {
  planned: Pick<EventOf<"verification_planned">, "base_commit" | "checks" | "max_attempts"> | undefined
  attempts: number
  failed: FailedAttempt | undefined
  /** Commits that were already checked. Once there is at least one, the agent may no longer weaken its own tests. */
  commits: string[]
}

/** Reads what earlier executors of the run have already verified. */
async function readPast(context: Context): Promise<Past> {
  const past: Past = { planned: undefined, attempts: 0, failed: undefined, commits: [] }
  if (runOf(context.state(), context.runId)?.generation === 1) return past
  let output = ""
  for await (const event of context.history()) {
    if (event.type === "verification_planned") past.planned = event
    if (event.type === "check_finished" && !event.passed) output = event.output
    if (event.type !== "verification_attempt") continue
    const { attempt_number: attempt, issues, passed, review } = event
    past.attempts = attempt
    past.commits.push(event.commit)
    const maxAttempts = past.planned?.max_attempts ?? attempt
    past.failed = passed ? undefined : { attempt, maxAttempts, issues, output, isReview: review?.passed === false }
  }
  return past
}

/** Checks a commit. Returns the verdict, and the output if a command failed. */
async function check(
  deps: WorkdirDeps,
  context: Context,
  about: Parameters<typeof checkCommit>[2],
): Promise<{ verdict: Verdict; output: string }> {
  let output = ""
  const write = (events: NewEvent[]) => {
    for (const event of events) if (event.type === "check_finished" && !event.passed) output = event.output
    return context.write(events)
  }
  return { verdict: await checkCommit(deps, { ...context, write }, about), output }
}

/** Returns the fields that assign an event to this run and its agent. */
function runOfEvent({ runId, state }: Context) {
  return { run_id: runId, agent_id: runOf(state(), runId)?.agentId ?? "" }
}

const MESSAGE_CHARS = 1500

function notVerified(summary: string, issues: string[], commit: string): AppError {
  const message = [summary, ...issues].filter(Boolean).join(" ").slice(0, MESSAGE_CHARS)
  return new AppError("not_verified", message, { commit })
}
