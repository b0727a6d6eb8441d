import { presentableDiff } from "@codemirror/merge"
import type { TextEdit } from "./editor-document.ts"

/** Time limit for an exact diff. After that, it is approximate. */
const PATIENCE_MS = 100

/** Returns the smallest edits that turn one text into another, so that everything between them stays in place. */
export function minimalEdits(before: string, after: string): TextEdit[] {
  return presentableDiff(before, after, { timeout: PATIENCE_MS }).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: after.slice(fromB, toB),
  }))
}
