import type { EventOf } from "../../events.ts"
import { formatCount } from "../../text/format.ts"
import type { ChangedTest, CheckResult, TestCounts, Verdict } from "./schema.ts"

/** The work that was checked: a version of the session's files, a commit, or a node's files within the project. */
export type Checked =
  | { workspace_version: number; tests_of?: string }
  | { commit: string; tests_of?: string }
  | { node_id: string; manifest: string }

const NOTHING = { workspace_version: null }

/** Combines the results of all checks into a verdict. If a check was blocked, nothing is proven. */
export function verdictOf(checked: Checked, checks: CheckResult[]): Verdict {
  const blocked = checks.find((check) => check.blocked)
  if (blocked) {
    const reason = `${blocked.command} couldn't be run. ${blocked.reason ?? ""}`.trim()
    return { ...NOTHING, ...checked, status: "not_run", checks, reason }
  }
  const status = checks.every(({ passed }) => passed) ? "passed" : "failed"
  return { ...NOTHING, ...checked, status, checks }
}

/** Returns the verdict if nothing was run, which never counts as passed. */
export function notRun(reason: string, checked?: Checked): Verdict {
  return { ...NOTHING, ...checked, status: "not_run", checks: [], reason }
}

/** Judges tests by exit code and counts. Tests don't pass if none ran. */
export function judgeTests(
  exitCode: number | null,
  tests: TestCounts | undefined,
): { passed: boolean; reason?: string } {
  if (exitCode !== 0) return { passed: false }
  if (tests && tests.failed > 0)
    return { passed: false, reason: "Tests failed, although the command reported success." }
  if (tests && tests.passed === 0) return { passed: false, reason: "No tests ran." }
  return { passed: true }
}

/** Returns the result of a finished check. */
export function resultOf(event: EventOf<"check_finished">): CheckResult {
  const { name, command, passed, blocked, exit_code, duration_ms, tests, set, reason, errors } = event
  return { name, command, passed, blocked, exit_code, duration_ms, tests, set, reason, errors }
}

/** Describes a check briefly, such as `npm test: 12 tests passed`. */
export function describeCheck({ command, passed, blocked, exit_code, tests, reason, set }: CheckResult): string {
  if (blocked) return `${command}: couldn't be run. ${reason ?? ""}`.trim()
  const success = tests ? countsOf(tests) : "passed"
  const shown = passed ? success : failureOf(tests, reason ?? `failed with exit code ${exit_code}`)
  return `${command}: ${shown}${set ? " (set by you)" : ""}`
}

/** Describes a failure by its test counts if a test failed, and otherwise by its reason. */
function failureOf(tests: TestCounts | undefined, reason: string): string {
  const words = reason.replace(/\.$/, "")
  if (!tests) return words
  return tests.failed > 0 ? countsOf(tests) : `${countsOf(tests)}. ${words}`
}

/** Describes a verdict in one sentence. */
export function describeVerdict(verdict: Verdict): string {
  const changed = describeChangedTests(verdict)
  return [describeStatus(verdict), ...(changed ? [changed] : [])].join(". ")
}

function describeStatus({ status, checks, reason }: Verdict): string {
  if (status === "not_run") {
    const about = checks.some(({ passed }) => passed) ? "Not fully checked" : "Not run"
    return `${about}. ${reason ?? ""}`.trim()
  }
  const shown = checks.filter(({ passed }) => passed === (status === "passed")).map(describeCheck)
  if (status === "passed") return `Checked: ${shown.join("; ")}`
  return `The check failed: ${shown.length > 0 ? shown.join("; ") : (reason ?? "")}`
}

const NAMED_TESTS = 10

/** Describes the tests changed by the work, with the reasons for the changes. Undefined if no tests were changed. */
export function describeChangedTests({
  changed_tests: tests = [],
}: Pick<Verdict, "changed_tests">): string | undefined {
  if (tests.length === 0) return undefined
  const named = tests.slice(0, NAMED_TESTS).map(describeChangedTest)
  const more = tests.length > NAMED_TESTS ? [`${tests.length - NAMED_TESTS} more`] : []
  return `Changed tests: ${[...named, ...more].join("; ")}`
}

export function describeChangedTest({ path, kind, reason }: ChangedTest): string {
  return `${path} (${kind}${reason === null ? "" : `: ${reason.replace(/\.$/, "")}`})`
}

function countsOf({ passed, failed, skipped }: TestCounts): string {
  const parts = [
    ...(failed > 0 ? [`${formatCount(failed, "test")} failed`] : []),
    `${failed > 0 ? passed : formatCount(passed, "test")} passed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ]
  return parts.join(", ")
}
