import { editsIn } from "@switchyard/core/files/edits/answer-edits"
import { formatCount } from "@switchyard/core/text/format"
import type { ChatEdit, TurnResult, TurnUsage } from "@switchyard/core/work/chat/schema"
import { turnCost } from "@switchyard/core/work/chat/turn/turn-cost"
import type { Line } from "../output/render.ts"

/** Maximum number of lines shown per edit. */
const MAX_DIFF_LINES = 16

/**
 * Returns the results of an answer's edits, or the edits themselves if they weren't applied. Edits aren't applied if
 * they need a review or if the answer was stopped.
 */
export function editsReport({ edit_results, response }: Pick<TurnResult, "edit_results" | "response">): Line[] {
  if (edit_results.length > 0) return edit_results.flatMap(editLines)
  return editsIn(response).edits.flatMap(({ block: { path, oldLines, newLines } }) => {
    const change = changeOf(oldLines, newLines)
    return [{ who: "unapplied", text: `${path}  ${countsOf(change)}`, tone: "plain" }, ...diffLines(change)]
  })
}

function editLines({ file_path, status, message, is_create, old_text, new_text, faults = [] }: ChatEdit): Line[] {
  if (status !== "applied") {
    const tone = status === "already_applied" ? "plain" : "bad"
    return [{ who: status.replaceAll("_", " "), text: `${file_path}  ${message}`, tone }]
  }
  const change = changeOf(linesOf(old_text), linesOf(new_text))
  const who = is_create ? "created" : "applied"
  const wrong = faults.map((fault): Line => ({ who: "wrong", text: `${file_path}  ${fault}`, tone: "bad" }))
  return [{ who, text: `${file_path}  ${countsOf(change)}`, tone: "good" }, ...diffLines(change), ...wrong]
}

interface Change {
  removed: string[]
  added: string[]
}

function countsOf({ removed, added }: Change): string {
  return `+${added.length} -${removed.length}`
}

function diffLines({ removed, added }: Change): Line[] {
  const lines: Line[] = [
    ...removed.map((line): Line => ({ who: "", text: `- ${line}`, tone: "bad" })),
    ...added.map((line): Line => ({ who: "", text: `+ ${line}`, tone: "good" })),
  ]
  const more = lines.length - MAX_DIFF_LINES
  if (more <= 0) return lines
  return [...lines.slice(0, MAX_DIFF_LINES), { who: "", text: `and ${formatCount(more, "more line")}`, tone: "quiet" }]
}

/** Returns the lines that an edit changes. Leaves out unchanged lines at its start and end. */
function changeOf(before: readonly string[], after: readonly string[]): Change {
  const [removed, added] = [[...before], [...after]]
  while (removed.length > 0 && removed[0] === added[0]) {
    removed.shift()
    added.shift()
  }
  while (removed.length > 0 && removed.at(-1) === added.at(-1)) {
    removed.pop()
    added.pop()
  }
  return { removed, added }
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n")
}

/** Returns notices about a turn, in addition to its answer and edits. */
export function turnNotices(result: TurnResult): string[] {
  const named = (paths: string[], text: string) => (paths.length > 0 ? [`${text}: ${paths.join(", ")}`] : [])
  return [
    ...(result.notice ? [result.notice] : []),
    ...(result.finish_reason === "max_tokens" ? ["The answer was cut off at the model's limit."] : []),
    ...named(result.binary_files, "Not a text file and no longer selected"),
    ...named(result.invalid_files, "Doesn't exist and is no longer selected"),
    ...named(result.shed_files, "Left out because the prompt would have been too long"),
    ...named(result.files_auto_added, "Now selected"),
    ...(result.error ? [[result.error, result.error_info?.hint].filter(Boolean).join(" ")] : []),
    ...(result.cancelled ? ["Stopped."] : []),
  ]
}

/**
 * Returns the numbers of input and output tokens, the cached share, and the cost if it is known. Null if no model was
 * called.
 */
export function usageText(usage: TurnUsage, model: string): string | null {
  if (Object.values(usage).every((count) => count === null)) return null
  const prompt = (usage.input ?? 0) + (usage.cache_read ?? 0) + (usage.cache_write ?? 0)
  const counted = usage.input !== null
  const tokensIn = counted ? tokens(prompt) : about(usage.estimated_input)
  const tokensOut = usage.output !== null ? tokens(usage.output) : about(usage.estimated_output)
  const share = counted && prompt > 0 ? [`${Math.round((100 * (usage.cache_read ?? 0)) / prompt)}% cached`] : []
  const usd = turnCost(usage, model)
  const cost = usd === null ? [] : [`$${usd.toFixed(4)}`]
  return [`${tokensIn} in`, ...share, `${tokensOut} out`, ...cost, model].join(" · ")
}

function about(estimate: number | null): string {
  return estimate === null ? "?" : `about ${tokens(estimate)}`
}

/** Formats a number of tokens in few characters. */
export function tokens(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`
}

/**
 * True if the turn did everything that its answer claims. A pipeline must not accept an edit that failed or that broke
 * its file.
 */
export function isFulfilled(result: TurnResult): boolean {
  const { error, counts, edit_results, response, finish_reason, is_unbacked = false } = result
  if (edit_results.some(({ faults = [] }) => faults.length > 0)) return false
  if (response.trim() === "" || finish_reason === "max_tokens" || is_unbacked) return false
  const { failed, skipped, not_in_context, unreadable = 0 } = counts
  return error === null && failed + skipped + not_in_context + unreadable === 0
}
