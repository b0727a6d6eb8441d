import type { Outcome, Problem } from "@switchyard/core/agents/clis/schema"
import { type AgentInput, MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { decideHandOff, type HandOffCase } from "@switchyard/core/agents/hand-off/decide"
import { isLimit, problemOf } from "@switchyard/core/agents/hand-off/limit-state"
import { readReview } from "@switchyard/core/agents/reviews/read-review"
import { REPEAT_VERDICT, type ReviewedWork, reviewPrompt } from "@switchyard/core/agents/reviews/review-prompt"
import type { NewEvent } from "@switchyard/core/events"
import { storeArtifact } from "@switchyard/core/kernel/artifact"
import { reviewerAccount } from "@switchyard/core/people/accounts/reviewer-account"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import type { Review, Reviewer } from "@switchyard/core/work/verification/review-schema"
import { createReadingDecisions } from "../agents/reading-decisions.ts"
import { runTask } from "../agents/run-task.ts"
import { isDone, type TaskEnd } from "../agents/task.ts"
import { prepareHome } from "../agents/task-program.ts"
import { fillWithCommit } from "../gate/check-commit.ts"
import type { Commit } from "../gate/commit-files.ts"
import { diskOf, findWorkdir, PROJECT_USERS, type Workdir } from "../gate/workdir.ts"
import { stripCopy } from "../project/admit-project.ts"
import { openAgentNetwork } from "./agent-network.ts"
import { openRunBudget } from "./run-budget.ts"
import { openLogin, reach, refusedLogin } from "./run-program.ts"
import type { WorkDeps } from "./work-deps.ts"

type Context = RunContext<AgentInput>
type Asked = Omit<ReviewedWork, "diff" | "diffFile"> & { at: Commit; base: string }

/** Agent ID for a reviewer's terminal. No agent of the session has this ID. */
const REVIEWER = "(reviewer)"

/** Name of the file in the reviewer's folder that contains the whole diff. */
const DIFF_FILE = "switchyard-review.diff"
const DIFF_BYTES = 4 * 1024 * 1024

/**
 * Lets another agent review a clean copy of a commit, given the request, the diff and the check results. The reviewer
 * runs in its own session and may only read; changes that it makes to the copy are discarded. If the reviewer's account
 * reaches a limit, the owner's next account does the review.
 */
export async function reviewWork(deps: WorkDeps, context: Context, first: Reviewer, asked: Asked): Promise<Review> {
  const plan = context.input.verification?.reviewer_hand_off
  const limited: HandOffCase["limited"] = {}
  for (let reviewer = first; ; ) {
    const { review, problem } = await reviewOnce(deps, context, reviewer, asked)
    if (!problem) return review
    const next = plan && nextReviewer({ plan, limited, problem, current: reviewer.account, now: deps.clock.now() })
    if (!next) return review
    if (reviewer.account !== null) limited[reviewer.account] = problem.resets_at ?? null
    reviewer = next
  }
}

/**
 * Returns the next reviewer after a problem, or undefined if there is none. A review doesn't wait for a limit to reset,
 * because the work would have to wait too.
 */
function nextReviewer({ plan, problem, ...asked }: NextReviewer): Reviewer | undefined {
  const { kind, resets_at: resetsAt = null } = problem
  const evidence = { type: "refused" as const, kind, window: null, resetsAt }
  const decision = decideHandOff({ ...asked, plan, returns: plan.max_waits, waits: plan.max_waits, evidence })
  if (decision.type !== "switch") return undefined
  const { cli, account, model, reasoning } = decision.program
  return { cli, account, model, reasoning }
}

type NextReviewer = Pick<HandOffCase, "plan" | "limited" | "current" | "now"> & { problem: Problem }

interface ReviewAnswer {
  review: Omit<Review, "reviewer">
  /** Problem that prevented the review. Set if another account could do the review. */
  problem?: Problem | undefined
}

async function reviewOnce(
  deps: WorkDeps,
  context: Context,
  reviewer: Reviewer,
  asked: Asked,
): Promise<{ review: Review; problem: Problem | undefined }> {
  const { attempt: attempt_number, commit } = asked
  const of = { run_id: context.runId, agent_id: runOf(context.state(), context.runId)?.agentId ?? MAIN_AGENT }
  await context.record([{ type: "review_started", ...of, attempt_number, commit, reviewer }])
  const workdir = await findWorkdir(deps.checks, { purpose: "reviews", sid: context.sid, once: context.runId }, [])
  if ("missing" in workdir) throw new Error("A reviewer's workdir needs no programs, but one is reported as missing.")
  try {
    const diff = await fill(context, workdir, asked)
    const said = await askReviewer(deps, context, {
      reviewer,
      workdir,
      prompt: reviewPrompt({ ...asked, diff, diffFile: DIFF_FILE }),
    })
    const review = { reviewer, ...said.review }
    await context.record([{ type: "review_finished", ...of, attempt_number, commit, review }])
    return { review, problem: said.problem }
  } finally {
    await diskOf(workdir).remove(workdir.home)
  }
}

/** Copies the commit's files and the diff into the folder, and returns the diff. */
async function fill({ signal, awaitExternal }: Context, workdir: Workdir, { at, base }: Asked): Promise<string> {
  const { git, repository, commit } = at
  const plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"]
  const { stdout } = await git(["diff", ...plain, base, commit], { cwd: repository, maxBytes: DIFF_BYTES, signal })
  await awaitExternal(() => fillWithCommit(at, workdir, { signal }))
  await diskOf(workdir).replace(workdir.cwd, DIFF_FILE, 0o644, stdout)
  return stdout.toString("utf8")
}

interface Question {
  reviewer: Reviewer
  workdir: Workdir
  prompt: string
}

/** Asks the reviewer for a verdict, and asks again if its reply can't be parsed. */
async function askReviewer(deps: WorkDeps, context: Context, asked: Question): Promise<ReviewAnswer> {
  const first = await runReviewer(deps, context, { ...asked, resume: null })
  const review = readReview(first.text)
  if (review) return { review }
  const { outcome, nativeSession: resume } = first.end
  if (!isDone(outcome)) return stopped(outcome)
  const prompt = resume === null ? `${asked.prompt}\n${REPEAT_VERDICT}` : REPEAT_VERDICT
  const second = await runReviewer(deps, context, { ...asked, prompt, resume })
  const unread = "The reviewer's verdict couldn't be read, even after asking again."
  return { review: readReview(second.text) ?? notMade(unread) }
}

function stopped(outcome: Outcome): ReviewAnswer {
  const problem = problemOf(outcome)
  const message = problem?.message || "The reviewer stopped."
  const isAtLimit = problem !== undefined && isLimit(problem)
  return { review: notMade(isAtLimit ? `The reviewer's account has reached its limit: ${message}` : message), problem }
}

function notMade(summary: string): Omit<Review, "reviewer"> {
  return { passed: null, summary, findings: [] }
}

/**
 * Events of a reviewer's turn that are recorded with the run. Apart from them and the verdict, the log contains nothing
 * about the review.
 */
const TOLD: ReadonlySet<NewEvent["type"]> = new Set([
  ...(["terminal_opened", "terminal_output", "terminal_closed", "agent_usage", "agent_quota", "agent_notice"] as const),
])

async function runReviewer(
  deps: WorkDeps,
  context: Context,
  { reviewer, workdir, prompt, resume }: Question & { resume: string | null },
): Promise<{ text: string; end: TaskEnd }> {
  const { sid, runId, signal } = context
  const { cli, account: name, model, reasoning } = reviewer
  const user = deps.sandbox?.userOf(PROJECT_USERS.reviews, "own")
  const { home, login, ...account } = deps.accountOf({ runId, user, fallback: reviewerAccount(name) })
  if (login !== null && context.input.keys_only) return { text: "", end: refusedLogin(login) }
  await prepareHome(user, home, [])
  const whose = { worktree: PROJECT_USERS.reviews, repository: "own" } as const
  const use = { runId, account: login, cli, user: whose, home, disk: diskOf(workdir) }
  await using held = await openLogin(deps, use, { signal })
  if (held?.state === "busy") return inUse(name)
  const { concealment } = held ?? {}
  const input: AgentInput = {
    ...{ task: context.input.task, messages: [], prompt, repository: null, mode: "plan" },
    ...{ cli, account: name, model, reasoning, terminal: context.input.terminal },
  }
  const said: string[] = []
  async function append(shown: NewEvent[]): Promise<void> {
    const events = concealment?.events(shown) ?? shown
    for (const event of events) {
      if (event.type !== "assistant_message" || !Array.isArray(event.blocks)) continue
      said.push(...event.blocks.filter(({ kind }) => kind === "text").map(({ content }) => content))
    }
    const told = events.filter(({ type }) => TOLD.has(type))
    if (told.length > 0) await context.record(told)
  }
  const { incarnation } = context.state().session
  await using reached = await reach(deps, input, account)
  await using network = await openAgentNetwork({ ...deps, append }, { ...reached, cli, user })
  const end = await context.awaitExternal(() =>
    runTask(
      {
        ...{
          ...deps,
          user,
          concealment,
          append,
          decisions: createReadingDecisions(),
          budget: openRunBudget(context, deps.ownerBudget),
        },
        attachments: deps.attachments.ofAgent(REVIEWER),
        storeArtifact: (bytes) => storeArtifact(deps.blobs, { sid, incarnation }, bytes, { signal }),
        sessionSeq: () => Math.max(deps.sessionSeq(), context.state().head),
        admitProject: (program, options) => stripCopy(diskOf(workdir), { cli: program, cwd: workdir.cwd }, options),
      },
      {
        ...{ ...reached, input, root: workdir.cwd, cwd: workdir.cwd, home, network, resume },
        ...{ notes: { documents: [], checks: [], screenshots: [] } },
        ...{ followUp: false, interrupted: false },
      },
      { signal },
    ),
  )
  signal.throwIfAborted()
  if (end.parked) throw end.parked
  return { text: said.join("\n\n"), end }
}

/** Returns the outcome for a reviewer whose login is in use by another task. A review treats this like a limit. */
function inUse(account: string | null): { text: string; end: TaskEnd } {
  const message = `Another task uses the login of the account ${account}.`
  const outcome: Outcome = { type: "limit", kind: "rate_limited", message }
  return { text: "", end: { outcome, summary: undefined, nativeSession: null } }
}
