import { isGate, isMet, type Line, type NotMeasured } from "./measure.ts"

const HEADINGS = ["what", "value", "compared to", "its value", "ratio", "target", "met"]

/** Formats an answer's lines as a Markdown table that is also readable in a terminal. */
export function table(lines: (Line | NotMeasured)[]): string {
  const rows = [HEADINGS, ...lines.map((line) => ("reason" in line ? missingRow(line) : row(line)))]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)))
  const text = rows.map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`)
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`
  return [text[0], rule, ...text.slice(1)].join("\n")
}

/** Returns the reason why a line fails the bench; undefined if it passes. */
export function failure(line: Line | NotMeasured): string | undefined {
  if ("reason" in line || isMet(line) || !isGate(line)) return undefined
  const { what, target, ratio, value, unit } = line
  const was = target?.of === "ratio" ? `${round(ratio ?? 0)} times its baseline` : `${round(value)} ${unit}`
  return `${what}: ${was}, and at most ${target?.atMost} is allowed`
}

function row(line: Line): string[] {
  const { what, value, unit, baseline, ratio, target } = line
  return [
    what,
    `${round(value)} ${unit}`,
    baseline?.what ?? "",
    baseline ? `${round(baseline.value)} ${unit}` : "",
    ratio === undefined ? "" : round(ratio),
    target ? `${target.of === "ratio" ? "ratio" : unit} ≤ ${target.atMost}${isGate(line) ? "" : " (reported)"}` : "",
    target ? (isMet(line) ? "yes" : "MISSED") : "",
  ]
}

function missingRow({ what, reason }: NotMeasured): string[] {
  return [what, `not measured: ${reason}`, "", "", "", "", ""]
}

/** Formats a number with three significant digits, but keeps all digits before the decimal point. */
function round(value: number): string {
  if (value === 0 || Math.abs(value) >= 100) return Math.round(value).toLocaleString("en")
  return String(Number(value.toPrecision(3)))
}
