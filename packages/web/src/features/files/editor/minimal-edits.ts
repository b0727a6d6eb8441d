import { presentableDiff } from "@codemirror/merge"
import type { TextEdit } from "./editor-document.ts"

/** For how long a difference is looked for; after that it is taken more roughly. */
const PATIENCE_MS = 100

/** What makes one text of another, in small stretches, so that whatever stands between them stays where it is. */
export function minimalEdits(before: string, after: string): TextEdit[] {
  return presentableDiff(before, after, { timeout: PATIENCE_MS }).map(({ fromA, toA, fromB, toB }) => ({
    from: fromA,
    to: toA,
    insert: after.slice(fromB, toB),
  }))
}
