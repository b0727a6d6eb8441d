import { formatDuration } from "@switchyard/core/text/format"
import { describeChangedTests, describeCheck } from "@switchyard/core/work/gate/verdict"
import type { EvidenceCheck, WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import type { IconState } from "../../../ui/icons.tsx"

/** Presentation of evidence, with its meaning in a word or two. */
export interface Look {
  title: string
  icon: IconState
  tone: "ok" | "err" | "need" | "info" | "quiet"
}

/** Returns how this evidence is shown. Only checks that passed on the current work look like a success. */
export function lookOf({ state, latest }: Pick<WorkEvidence, "state" | "latest">): Look {
  if (state === "checking") return { title: "Checking…", icon: "busy", tone: "info" }
  if (state === "pending") {
    const title = latest ? "Agent is fixing failed checks" : "Checks will run when the agent is done"
    return { title, icon: "idle", tone: "info" }
  }
  if (state === "void") return { title: "Checks outdated", icon: "needs_input", tone: "need" }
  if (state === "none" || !latest) return { title: "Not checked", icon: "idle", tone: "quiet" }
  return RESULTS[latest.result]
}

const RESULTS: Record<NonNullable<WorkEvidence["latest"]>["result"], Look> = {
  passed: { title: "Verified", icon: "done", tone: "ok" },
  nothing_to_check: { title: "Nothing to check", icon: "idle", tone: "quiet" },
  failed: { title: "Verification failed", icon: "error", tone: "err" },
  not_possible: { title: "Couldn't run checks", icon: "needs_input", tone: "need" },
}

/**
 * Summarises evidence in a line: why it is void, else the first problem with the work, else the tests that the work
 * changed, else the check results.
 */
export function lineOf({ reason, state, latest, checks }: WorkEvidence): string {
  if (reason !== null) return reason
  if (state === "checking") return checks.map(({ command }) => command).at(-1) ?? ""
  const changed = latest && describeChangedTests(latest.verdict)
  return latest?.issues[0] ?? changed ?? checks.map(resultText).at(-1) ?? latest?.verdict.reason ?? ""
}

/** Returns a check's result without its command. */
export function resultOf(check: EvidenceCheck): string {
  return resultText(check).slice(check.command.length + 2)
}

function resultText(check: EvidenceCheck): string {
  const { passed, exit_code = null, duration_ms = 0, command } = check
  if (passed === undefined) return `${command}: running…`
  const took = duration_ms > 0 ? `, ${formatDuration(duration_ms)}` : ""
  return `${describeCheck({ ...check, passed, exit_code, duration_ms })}${took}`
}

/** Returns a commit's hash in short form. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 9)
}
