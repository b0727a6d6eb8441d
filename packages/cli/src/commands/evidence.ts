import { describeCheck } from "@switchyard/core/work/gate/verdict"
import type { EvidenceCheck, WorkEvidence } from "@switchyard/core/work/verification/evidence-schema"
import type { Reviewer } from "@switchyard/core/work/verification/review-schema"
import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"
import type { Line } from "../output/render.ts"
import { type SarifOption, writeSarif } from "../reports/sarif.ts"

/** Shows the evidence from checks of a session's work. Succeeds only if the checks passed for the current files. */
export async function evidence(
  cli: Cli,
  sessionId: string,
  options: SarifOption & { worktree?: string },
): Promise<number> {
  const { api, terminal } = cli
  const found = await api.evidence(sessionId, options.worktree)
  await writeSarif(found, options.sarif)
  if (terminal.json) terminal.printJson(found)
  else for (const line of linesOf(found)) terminal.line(line)
  return found.state === "valid" && found.latest?.passed ? EXIT.done : EXIT.notVerified
}

function linesOf(evidence: WorkEvidence): Line[] {
  const { latest, checks, attempts, max_attempts } = evidence
  const attempt = `attempt ${attempts.length} of ${max_attempts ?? attempts.length}`
  const about = latest ? [{ who: "commit", text: `${latest.commit}, ${attempt}`, tone: "plain" as const }] : []
  const issues = latest?.issues ?? []
  return [
    verdictLine(evidence),
    ...about,
    ...checks.map((check) => ({ who: "check", text: textOf(check), tone: toneOf(check.passed) })),
    ...reviewLines(evidence),
    ...issues.map((text) => ({ who: "issue", text, tone: "bad" as const })),
  ]
}

function reviewLines({ latest, reviewing }: WorkEvidence): Line[] {
  const name = (reviewer: Reviewer) => reviewer.account ?? reviewer.cli
  if (reviewing) return [{ who: "review", text: `${name(reviewing)}: reading`, tone: "plain" }]
  if (!latest?.review) return []
  const { passed, summary, reviewer } = latest.review
  return [{ who: "review", text: `${name(reviewer)}: ${summary}`, tone: toneOf(passed ?? undefined) }]
}

function verdictLine({ state, reason, latest }: WorkEvidence): Line {
  const text = [latest?.summary, STATES[state], reason].filter(Boolean).join(" ")
  return { who: "evidence", text, tone: state === "valid" ? toneOf(latest?.passed) : "plain" }
}

const STATES: Record<WorkEvidence["state"], string> = {
  none: "There is no evidence.",
  pending: "The agent is working.",
  checking: "The work is being checked.",
  valid: "The evidence is valid for the current work.",
  void: "The evidence is no longer valid.",
}

function textOf(check: EvidenceCheck): string {
  const { passed, exit_code = null, duration_ms = 0, command, original_tests } = check
  const text =
    passed === undefined ? `${command}: running` : describeCheck({ ...check, passed, exit_code, duration_ms })
  return original_tests ? `${text} (with the original tests)` : text
}

function toneOf(passed: boolean | undefined): Line["tone"] {
  if (passed === undefined) return "plain"
  return passed ? "good" : "bad"
}
