import { markerSignsFor } from "../../../files/edits/edit-markers.ts"
import type { ChatEdit } from "../schema.ts"

/** Known results of the edits in an answer. */
export interface EditResults {
  edits?: readonly ChatEdit[] | undefined
  /** Number of edits that have no results because they couldn't be parsed. */
  unreadable?: number | undefined
  /** True if the answer claims to have changed files, but contains no edits. */
  isUnbacked?: boolean | undefined
}

const TITLE = "[Results of these edits]"
const MAX_MESSAGE_CHARS = 1500

/**
 * Describes the results of an answer's edits. The text is appended to the answer in the model's history, because a
 * model would otherwise assume that failed edits were applied. Empty if the answer has no edits.
 */
export function editResults(content: string, { edits = [], unreadable = 0, isUnbacked = false }: EditResults): string {
  const lines = edits.map(resultLine)
  if (unreadable > 0) {
    const edits = unreadable === 1 ? "1 edit" : `${unreadable} edits`
    lines.push(`- ${edits} couldn't be parsed and changed nothing. Each needs the path of its file alone on a line.`)
  }
  if (lines.length > 0) return `\n\n${TITLE}\n${lines.join("\n")}`
  const hasNone = markerSignsFor(content) === undefined && !isUnbacked
  return hasNone ? "" : `\n\n${TITLE}\nNo edit of this answer was made.`
}

function resultLine({ file_path: path, status, message, line, faults = [] }: ChatEdit): string {
  const reason = message.slice(0, MAX_MESSAGE_CHARS).toWellFormed()
  if (status === "applied") {
    const place = line === null ? "" : ` at line ${line}`
    return [`- ${path}: applied${place}.`, ...faults.map((fault) => `  New problem: ${fault}`)].join("\n")
  }
  return `- ${path}: ${OUTCOMES[status]}. ${reason}`
}

const OUTCOMES = {
  already_applied: "nothing to change",
  validated: "not made",
  failed: "failed",
  skipped: "not made",
  not_in_context: "not made",
} as const satisfies Record<Exclude<ChatEdit["status"], "applied">, string>
