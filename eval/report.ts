import { isPassed, type Step } from "./evaluate.ts"

const HEADINGS = ["case", "request", "result", "checks", "wishes", "requests", "tokens", "cost", "seconds"]

/** Formats the steps as a table in Markdown, with the reasons of those that didn't pass and the share that did. */
export function report(steps: readonly Step[]): string {
  const rows = steps.map((step) => [
    step.case,
    String(step.number),
    isPassed(step) ? "passed" : "FAILED",
    step.checks ?? step.status,
    `${step.literals - step.missing.length} of ${step.literals}`,
    String(step.requests),
    step.tokens.toLocaleString("en-US"),
    step.costUsd === null ? "unknown" : `$${step.costUsd.toFixed(3)}`,
    step.seconds.toFixed(0),
  ])
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  const table = [line(HEADINGS), line(HEADINGS.map(() => "---")), ...rows.map(line)]
  const passed = steps.filter(isPassed).length
  return [...table, "", ...steps.flatMap(reasons), `${passed} of ${steps.length} requests passed.`].join("\n")
}

function reasons({ case: name, number, error, status, missing }: Step): string[] {
  const about = `${name}, request ${number}`
  if (error !== null) return [`${about}: ${error}`]
  if (status !== "completed" || missing.length === 0) return []
  return [`${about}: no file contains ${missing.map((literal) => JSON.stringify(literal)).join(", ")}.`]
}
