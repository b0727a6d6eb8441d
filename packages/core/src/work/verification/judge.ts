import type { Outcome } from "../../agents/clis/schema.ts"
import type { Summary } from "../../agents/conversations/schema.ts"
import { formatCount } from "../../format.ts"
import type { ChangedTest, CheckName, CheckResult, Verdict } from "../gate/schema.ts"
import { describeCheck } from "../gate/verdict.ts"
import { reviewIssues } from "./review-issues.ts"
import type { Review } from "./review-schema.ts"
import type { VerificationResult } from "./schema.ts"

/** Everything that is known about an agent's claim to be done. */
export interface Evidence {
  /** The end of its turn, and its own report of it. */
  outcome: Outcome["type"]
  summary: Summary | undefined
  /** The commit of its work, the list of a team's node's files, or the version of a session's; and the files that differ from those before. */
  commit: string
  changed: string[]
  /** The result of running the project's checks. */
  verdict: Verdict
  /** The checks that were found before its work, and after it. */
  checksBefore: CheckName[]
  checksAfter: CheckName[]
  /** Whether the project's test command always prints how many tests ran. */
  reportsTests: boolean
  /** The changes by which it weakened the checks themselves. */
  tampering: string[]
  /** The tests that it changed. */
  changedTests: ChangedTest[]
  /** The result with the tests as they were before; undefined where none of them was changed. */
  originalTests: Verdict | undefined
}

/** The judgement of an attempt. */
export interface Judgement {
  result: VerificationResult
  summary: string
  issues: string[]
  /** The verdict with which the run ends, should it end now. */
  verdict: Verdict
}

/** Decides whether evidence shows that an agent's work is done. What isn't shown doesn't count. */
export function judge(evidence: Evidence): Judgement {
  const { changedTests: changed_tests } = evidence
  const verdict = { ...evidence.verdict, ...(changed_tests.length > 0 && { changed_tests }) }
  const issues = [
    ...claimIssues(evidence),
    ...evidence.tampering,
    ...checkIssues(evidence),
    ...originalIssues(evidence.originalTests),
    ...fewerTests(evidence),
  ]
  const result = issues.length > 0 ? "failed" : resultOf(evidence)
  const reason = issues.length > 0 ? issues.join(" ") : verdict.reason
  return {
    ...{ result, issues, summary: SUMMARIES[result] },
    verdict: { ...verdict, status: STATUSES[result], ...(reason !== undefined && { reason }) },
  }
}

/** The judgement with the opinion of a reviewer. A review that couldn't be made shows nothing, and so doesn't let the work pass. */
export function withReview(judged: Judgement, review: Review): Judgement {
  const { verdict } = judged
  if (review.passed) return judged
  if (review.passed === null) {
    const summary = "The work could not be reviewed."
    return {
      ...judged,
      result: "not_possible",
      summary,
      verdict: { ...verdict, status: "not_run", reason: review.summary },
    }
  }
  const issues = reviewIssues(review)
  const summary = "A reviewer found faults."
  return { result: "failed", issues, summary, verdict: { ...verdict, status: "failed", reason: issues.join(" ") } }
}

const SUMMARIES: Record<VerificationResult, string> = {
  passed: "The checks pass.",
  nothing_to_check: "The project has nothing by which the work could be checked.",
  failed: "The work isn't verified.",
  not_possible: "The checks could not be run.",
}

const STATUSES: Record<VerificationResult, Verdict["status"]> = {
  ...{ passed: "passed", failed: "failed", nothing_to_check: "not_run", not_possible: "not_run" },
}

function resultOf({ verdict, checksBefore, checksAfter, originalTests }: Evidence): VerificationResult {
  if (originalTests && originalTests.status !== "passed") return "not_possible"
  if (verdict.status === "passed") return "passed"
  return checksBefore.length + checksAfter.length === 0 ? "nothing_to_check" : "not_possible"
}

/** The contradictions between the agent's words and its work. */
function claimIssues({ outcome, summary, changed }: Evidence): string[] {
  if (outcome !== "completed") return ["The agent stopped without saying that it is done."]
  if (summary === undefined) return ["The agent didn't say what it did."]
  if (summary.completion_status !== "success") {
    return [`The agent itself calls its work "${summary.completion_status}": ${summary.change_summary}`]
  }
  if (summary.files_changed.length > 0 && changed.length === 0) {
    return [`The agent says that it changed ${summary.files_changed.slice(0, 5).join(", ")}, but no file differs.`]
  }
  return []
}

function checkIssues(evidence: Evidence): string[] {
  const { verdict, commit, checksBefore, checksAfter } = evidence
  if ((verdict.commit ?? verdict.manifest ?? String(verdict.workspace_version)) !== commit)
    return ["The checks were run on another commit."]
  const lost = checksBefore.filter((name) => KEPT.has(name) && !checksAfter.includes(name))
  if (lost.length > 0) return lost.map((name) => `The project had a command for "${name}", and has none any more.`)
  if (verdict.status === "failed") return verdict.checks.filter(({ passed }) => !passed).map(failure)
  if (verdict.status !== "passed") return []
  const tests = verdict.checks.filter(({ name }) => name === "test")
  if (checksAfter.includes("test") && tests.length === 0) return ["The tests were not run."]
  return tests.filter((test) => isSilent(test, evidence)).map(({ command }) => `${command} ${SILENT}`)
}

/** The commands that a project doesn't lose by a task. */
const KEPT: ReadonlySet<CheckName> = new Set(["lint", "test"])

const SILENT = "ended well, but printed no results of tests, so nothing shows that any ran."

/**
 * Whether a test command says nothing of tests, though it is new, or always says it. Any other that was there before, or that a
 * person set, is taken at its word.
 */
function isSilent({ tests, set }: CheckResult, { reportsTests, checksBefore }: Evidence): boolean {
  return tests === undefined && (reportsTests || (!set && !checksBefore.includes("test")))
}

function originalIssues(verdict: Verdict | undefined): string[] {
  if (verdict?.status !== "failed") return []
  const failed = verdict.checks.filter(({ passed }) => !passed).map(failure)
  return [`With the tests as they were before the work: ${failed.join(" ")}`]
}

/** The tests that run with the old files and don't with the new ones. */
function fewerTests({ verdict, originalTests }: Evidence): string[] {
  const [before, after] = [originalTests, verdict].map((one) => one?.checks.find(({ name }) => name === "test")?.tests)
  if (!before || !after || before.passed <= after.passed + after.failed) return []
  return [
    `${formatCount(before.passed, "test")} passed as they were before, and ${after.passed + after.failed} ran now.`,
  ]
}

function failure(check: CheckResult): string {
  return `${describeCheck(check)}.`
}
