import { costText } from "@switchyard/core/people/usage/amounts"
import { formatDuration } from "@switchyard/core/text/format"
import type { BakeOff, BakeOffRow } from "@switchyard/core/work/bake-offs/schema"

const HEADING = ["agent", "model", "result", "attempts", "cost", "time", "files", "diff"]
/** Index of the first numeric column; earlier columns contain text. */
const FIRST_NUMBER = 3

/** Renders a comparison as lines: the title, the table, and the reasons why agents failed. */
export function bakeOffTable({ bake_off_id, title, status, adopted, rows }: BakeOff): string[] {
  const all = [HEADING, ...rows.map((row) => cellsOf(row, adopted))]
  const widths = HEADING.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  const cell = (text: string, at: number) =>
    at < FIRST_NUMBER ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)
  const reasons = rows.flatMap(({ name, reason }) => (reason === null ? [] : `  ${name}: ${reason.split("\n")[0]}`))
  return [
    `${title}  (${bake_off_id}, ${status})`,
    ...all.map((cells) => cells.map(cell).join("  ").trimEnd()),
    ...reasons,
  ]
}

function cellsOf(row: BakeOffRow, adopted: string | null): string[] {
  const { name, cli, model, attempts, duration_ms, diff } = row
  return [
    name,
    model ?? cli,
    row.agent_id === adopted ? "kept" : resultOf(row),
    String(attempts),
    costText(row),
    duration_ms === null ? "-" : formatDuration(duration_ms),
    diff === null ? "-" : String(diff.files_changed),
    diff === null ? "-" : `+${diff.insertions} -${diff.deletions}`,
  ]
}

function resultOf({ passed, status, verdict }: BakeOffRow): string {
  if (passed === null) return status
  if (passed) return "passed"
  if (status === "cancelled") return "cancelled"
  return verdict === "not_run" ? "not verified" : "failed"
}
