import type { Outcome } from "../../agents/clis/schema.ts"
import type { Summary } from "../../agents/conversations/schema.ts"
import { formatCount } from "../../text/format.ts"
import type { ChangedTest, CheckName, CheckResult, Verdict } from "../gate/schema.ts"
import { describeCheck } from "../gate/verdict.ts"
import { reviewIssues } from "./review-issues.ts"
import type { Review } from "./review-schema.ts"
import type { VerificationResult } from "./schema.ts"

/** Evidence for or against an agent's claim to be done. */
export interface Evidence {
  /** Outcome of the agent's turn, and the agent's own report. */
  outcome: Outcome["type"]
  summary: Summary | undefined
  /**
   * The checked work (a commit, the file list of a team's node, or a session's version), and the files that it changed.
   */
  commit: string
  changed: string[]
  /** Result of the project's checks. */
  verdict: Verdict
  /** Names of the project's checks before and after the work. */
  checksBefore: CheckName[]
  checksAfter: CheckName[]
  /** True if the project's test command always prints the number of tests that ran. */
  reportsTests: boolean
  /** Changes that weaken the checks, each as a sentence for the agent. */
  tampering: string[]
  changedTests: ChangedTest[]
  /** Result of the checks with the original tests. Undefined if the work changed no tests. */
  originalTests: Verdict | undefined
}

export interface Judgement {
  result: VerificationResult
  summary: string
  issues: string[]
  /** Verdict of the run if this attempt is the last one. */
  verdict: Verdict
}

/** Decides whether the evidence shows that the agent's work is done. Claims without evidence don't count. */
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

/** Adds a review to a judgement. If the review couldn't be carried out, the work doesn't pass. */
export function withReview(judged: Judgement, review: Review): Judgement {
  const { verdict } = judged
  if (review.passed) return judged
  if (review.passed === null) {
    const summary = "The work couldn't be reviewed."
    return {
      ...judged,
      result: "not_possible",
      summary,
      verdict: { ...verdict, status: "not_run", reason: review.summary },
    }
  }
  const issues = reviewIssues(review)
  const summary = "A reviewer found problems."
  return { result: "failed", issues, summary, verdict: { ...verdict, status: "failed", reason: issues.join(" ") } }
}

const SUMMARIES: Record<VerificationResult, string> = {
  passed: "The checks pass.",
  nothing_to_check: "The project has no commands to check the work with.",
  failed: "The work isn't verified.",
  not_possible: "The checks couldn't be run.",
}

const STATUSES: Record<VerificationResult, Verdict["status"]> = {
  ...{ passed: "passed", failed: "failed", nothing_to_check: "not_run", not_possible: "not_run" },
}

function resultOf({ verdict, checksBefore, checksAfter, originalTests }: Evidence): VerificationResult {
  if (originalTests && originalTests.status !== "passed") return "not_possible"
  if (verdict.status === "passed") return "passed"
  return checksBefore.length + checksAfter.length === 0 ? "nothing_to_check" : "not_possible"
}

/** Finds contradictions between the agent's report and its work. */
function claimIssues({ outcome, summary, changed }: Evidence): string[] {
  if (outcome !== "completed") return ["The agent stopped without reporting that it is done."]
  if (summary === undefined) return ["The agent didn't report on its work."]
  if (summary.completion_status !== "success") {
    return [`The agent itself calls its work "${summary.completion_status}": ${summary.change_summary}`]
  }
  if (summary.files_changed.length > 0 && changed.length === 0) {
    return [`The agent claims that it changed ${summary.files_changed.slice(0, 5).join(", ")}, but no files differ.`]
  }
  return []
}

function checkIssues(evidence: Evidence): string[] {
  const { verdict, commit, checksBefore, checksAfter } = evidence
  if ((verdict.commit ?? verdict.manifest ?? String(verdict.workspace_version)) !== commit)
    return ["The checks were run on another commit."]
  const lost = checksBefore.filter((name) => KEPT.has(name) && !checksAfter.includes(name))
  if (lost.length > 0) return lost.map((name) => `The project no longer has a command for "${name}".`)
  if (verdict.status === "failed") return verdict.checks.filter(({ passed }) => !passed).map(failure)
  if (verdict.status !== "passed") return []
  const tests = verdict.checks.filter(({ name }) => name === "test")
  if (checksAfter.includes("test") && tests.length === 0) return ["The tests weren't run."]
  return tests.filter((test) => isSilent(test, evidence)).map(({ command }) => `${command} ${SILENT}`)
}

/** Checks that a task must not remove from a project. */
const KEPT: ReadonlySet<CheckName> = new Set(["lint", "test"])

const SILENT = "succeeded but printed no test results, so nothing shows that any tests ran."

/**
 * Returns true if a test command should report tests but doesn't. A command should report tests if it is new, or if the
 * project's test command always reports tests. Commands set by a person are trusted, and so are existing commands that
 * never reported tests.
 */
function isSilent({ tests, set }: CheckResult, { reportsTests, checksBefore }: Evidence): boolean {
  return tests === undefined && (reportsTests || (!set && !checksBefore.includes("test")))
}

function originalIssues(verdict: Verdict | undefined): string[] {
  if (verdict?.status !== "failed") return []
  const failed = verdict.checks.filter(({ passed }) => !passed).map(failure)
  return [`With the original tests: ${failed.join(" ")}`]
}

/** Finds tests that ran with the original test files but no longer run with the new ones. */
function fewerTests({ verdict, originalTests }: Evidence): string[] {
  const [before, after] = [originalTests, verdict].map((one) => one?.checks.find(({ name }) => name === "test")?.tests)
  if (!before || !after || before.passed <= after.passed + after.failed) return []
  return [
    `${formatCount(before.passed, "test")} passed in their original form, but only ${after.passed + after.failed} ran now.`,
  ]
}

function failure(check: CheckResult): string {
  return `${describeCheck(check)}.`
}
