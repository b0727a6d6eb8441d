import { markChanges, type Part } from "../../ui/changed-part.ts"

/** A line of an edit. `changed` are the parts that differ from the line that it replaces. */
export interface ChangeRow {
  type: "context" | "add" | "delete"
  text: string
  changed?: Part[]
}

/** Parses the lines of a change written with - and +. */
export function changeRows(diff: string): ChangeRow[] {
  const rows = diff.split("\n").map(rowOf)
  markChanges(rows)
  return rows
}

/** Returns how many lines a change adds and removes. */
export function changeCounts(diff: string): { additions: number; deletions: number } {
  const lines = diff.split("\n")
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return { additions: count("+"), deletions: count("-") }
}

function rowOf(line: string): ChangeRow {
  if (line.startsWith("+")) return { type: "add", text: line.slice(1) }
  if (line.startsWith("-")) return { type: "delete", text: line.slice(1) }
  return { type: "context", text: line.startsWith(" ") ? line.slice(1) : line }
}
