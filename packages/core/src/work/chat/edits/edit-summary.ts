import type { ChatEdit, TurnSummary } from "../schema.ts"

/** Flaws of an answer that aren't visible in the results of its edits. */
export interface AnswerFlaws {
  /** Number of edits that couldn't be parsed. */
  unreadable: number
  /** True if the model reached its output limit. */
  isCut: boolean
  /** True if the answer claims to have changed files, but contains no edits. */
  isUnbacked: boolean
}

const flawless: AnswerFlaws = { unreadable: 0, isCut: false, isUnbacked: false }

/** Returns the fields of a turn's result that depend on its edits. */
export function summarizeEdits(edits: ChatEdit[], flaws = flawless) {
  const of = (...statuses: ChatEdit["status"][]) => edits.filter(({ status }) => statuses.includes(status))
  const paths = (some: ChatEdit[]) => [...new Set(some.map(({ file_path }) => file_path))]
  const applied = of("applied")
  const created = paths(applied.filter(({ is_create }) => is_create))
  const unseen = paths(of("not_in_context"))
  return {
    edit_blocks: edits.map(({ file_path: file, is_create }) => ({ file, is_create })),
    passed: paths(applied),
    failed: of("failed").map(({ file_path: file, message: error }) => ({ file, error })),
    skipped: paths(of("skipped")),
    counts: {
      passed: applied.length,
      already_applied: of("already_applied").length,
      failed: of("failed").length,
      skipped: of("skipped").length,
      not_in_context: of("not_in_context").length,
      ...(flaws.unreadable > 0 && { unreadable: flaws.unreadable }),
    },
    files_modified: paths(applied.filter(({ is_create }) => !is_create)),
    files_created: created,
    files_auto_added: [...new Set([...unseen, ...created])],
    retry_prompt: retryPrompt(edits, flaws),
    ...(flaws.isUnbacked && { is_unbacked: true }),
  } satisfies Partial<TurnSummary>
}

/**
 * Returns a message that asks the model to redo the most urgent kind of failed edits or, if no edits failed, to fix new
 * faults. Null if there are neither failed edits nor faults. A person decides whether to send the message.
 */
function retryPrompt(edits: ChatEdit[], flaws: AnswerFlaws): string | null {
  const list = (some: ChatEdit[]) => some.map(({ file_path, message }) => `- ${file_path}: ${message}`).join("\n")
  const ambiguous = edits.filter(({ error_type }) => error_type === "ambiguous_anchor")
  if (ambiguous.length > 0) {
    return `Some edits matched more than one place:\n${list(ambiguous)}\nRepeat them with more of the surrounding lines.`
  }
  const unseen = [
    ...new Set(edits.flatMap(({ status, file_path }) => (status === "not_in_context" ? [file_path] : []))),
  ]
  if (unseen.length > 0) {
    const are = unseen.length === 1 ? "This file is" : "These files are"
    return `${are} in the context now: ${unseen.join(", ")}. Repeat the edits to ${unseen.length === 1 ? "it" : "them"}.`
  }
  const missed = edits.filter(({ error_type }) => error_type === "anchor_not_found" || error_type === "write_error")
  if (missed.length > 0) {
    return `Some edits did not match:\n${list(missed)}\nRead the current versions of these files again, and repeat the edits.`
  }
  const refused = edits.filter(({ error_type }) => error_type !== null)
  if (refused.length > 0) return `Some edits could not be made:\n${list(refused)}\nFix these edits and repeat them.`
  if (flaws.unreadable > 0) {
    return "Some edits could not be read. Repeat those as edit blocks, each with the path of its file alone on the line before."
  }
  if (flaws.isUnbacked) {
    return "No file was changed, because your answer has no edit blocks. Write an edit block for each change."
  }
  if (flaws.isCut) return "Your answer was cut off. Continue where it ended."
  const faults = edits.flatMap(({ file_path, faults = [] }) => faults.map((fault) => `- ${file_path}: ${fault}`))
  return faults.length === 0 ? null : `The edits introduced these problems:\n${faults.join("\n")}\nFix them.`
}
