import type { CheckResult, Verdict } from "../../work/gate/schema.ts"
import { describeChangedTests, describeCheck, describeVerdict } from "../../work/gate/verdict.ts"

export interface Evidence {
  task: string
  /** The agent's own summary of its work. */
  result: string | null
  commit: string
  verdict: Verdict
  /** Issues that the verification of this commit raised. */
  issues: string[]
}

const MAX_TITLE_CHARS = 72
const MAX_TEXT_CHARS = 10_000
const BEGIN = "<!-- switchyard:begin -->"
const END = "<!-- switchyard:end -->"

/** Returns a title based on the first line of a task. */
export function titleFor(task: string): string {
  const [line = ""] = task.trim().split("\n")
  return line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS - 1).trimEnd()}…` : line || "Agent's work"
}

/** Describes the work: its task, its result, and the checks of this commit. */
export function describeWork(evidence: Evidence): string {
  const { task, result, commit, verdict } = evidence
  const parts = [
    ["### Task", quoted(task)],
    ...(result ? [["### Result", quoted(result)]] : []),
    ["### Checks", `Commit ${commit}. ${plain(describeEvidence(evidence))}`, ...tableOf(verdict.checks)],
  ]
  return [BEGIN, ...parts.flat(), END].join("\n\n")
}

/** Summarises the evidence in a sentence or two. */
export function describeEvidence({ verdict, issues }: Pick<Evidence, "verdict" | "issues">): string {
  if (issues.length === 0) return describeVerdict(verdict)
  const changed = describeChangedTests(verdict)
  return [`The work was not accepted: ${issues.join(" ")}`, ...(changed ? [changed] : [])].join(" ")
}

/** Replaces the earlier description in the body. Keeps the text that people wrote before and after it. */
export function replaceDescription(body: string, description: string): string {
  const [begin, end] = [body.indexOf(BEGIN), body.indexOf(END)]
  if (begin === -1 || end < begin) return [body.trim(), description].filter(Boolean).join("\n\n")
  return body.slice(0, begin) + description + body.slice(end + END.length)
}

function tableOf(checks: CheckResult[]): string[] {
  if (checks.length === 0) return []
  const rows = checks.map((check) => {
    const { command, exit_code, passed } = check
    const shown = describeCheck(check).slice(command.length + 2)
    return `| ${cell(command)} | ${passed ? "passed" : "failed"} | ${exit_code ?? "-"} | ${cell(shown)} |`
  })
  return [["| Command | Result | Exit code | Details |", "|---|---|---|---|", ...rows].join("\n")]
}

/** Quotes the text, so that none of its lines looks like one of ours or like a command to the host. */
function quoted(text: string): string {
  const cut = text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text
  const lines = plain(cut.trim()).split("\n")
  return lines.map((line) => `> ${line}`.trimEnd()).join("\n")
}

function cell(text: string): string {
  return plain(text).replaceAll("|", "\\|").replaceAll("\n", " ")
}

/** Escapes HTML and disarms mentions of people and issues. An agent wrote the text, and hosts act on mentions. */
function plain(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll(/[@#!](?=\w)/g, "$&\u200b")
}
