import { markChanges } from "../../ui/changed-part.ts"
import type { ChangeRow } from "../conversation/change-rows.ts"

/**
 * Returns the lines in which two texts differ, with one line of context, and marks the words that differ between paired
 * lines.
 */
export function changedLines(oldText: string, newText: string): ChangeRow[] {
  const before = oldText === "" ? [] : oldText.split("\n")
  const after = newText === "" ? [] : newText.split("\n")
  const head = commonPrefix(before, after)
  const tail = commonPrefix(before.slice(head).reverse(), after.slice(head).reverse())
  const rowsOf = (type: ChangeRow["type"], lines: string[]) => lines.map((text): ChangeRow => ({ type, text }))
  const rows = [
    ...rowsOf("context", before.slice(Math.max(0, head - 1), head)),
    ...rowsOf("delete", before.slice(head, before.length - tail)),
    ...rowsOf("add", after.slice(head, after.length - tail)),
    ...rowsOf("context", before.slice(before.length - tail, before.length - tail + 1)),
  ]
  markChanges(rows)
  return rows
}

function commonPrefix<T>(a: readonly T[], b: readonly T[]): number {
  let count = 0
  while (count < a.length && count < b.length && a[count] === b[count]) count++
  return count
}
