export interface TakenValue {
  /** The value as written, or undefined if none of the leads occurs in the text. */
  value: string | undefined
  rest: string
}

/** Takes the value after the first lead: either in quotes, or what matches `unquoted`. */
export function takeValue(text: string, leads: readonly string[], unquoted: RegExp = SENTENCE): TakenValue {
  const lower = text.toLowerCase()
  const found = leads
    .map((lead) => ({ lead, at: indexOfWords(lower, lead) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || b.lead.length - a.lead.length)[0]
  if (!found) return { value: undefined, rest: text }
  const before = text.slice(0, found.at)
  const after = text.slice(found.at + found.lead.length).replace(linkAfter(found.lead), "")
  const quoted = quotedAt(after, 0)
  const value = quoted?.value ?? withoutManners(unquoted.exec(after)?.[0] ?? "")
  return { value: value.trim(), rest: `${before} ${after.slice(quoted?.end ?? value.length)}` }
}

/** Closing marks for each opening mark. */
const QUOTES: Record<string, string> = {
  ...{ '"': '"”“', "“": '”"“', "”": '”"', "„": '“”"', "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』" },
  ...{ "'": "'’", "‘": "’'", "‚": "‘’'", "`": "`'" },
}

/** Returns the text in the quotes that open at this position, and the position after them. */
export function quotedAt(text: string, start: number): { value: string; end: number } | undefined {
  const closing = QUOTES[text.charAt(start)]
  if (closing === undefined) return undefined
  for (let at = start + 1; at < text.length && text.charAt(at) !== "\n"; at += 1) {
    const mark = text.charAt(at)
    if (!closing.includes(mark)) continue
    // An apostrophe within a word ends nothing.
    if (!"'’‘".includes(mark) || !/^[\p{L}\p{N}]/u.test(text.slice(at + 1, at + 3)))
      return { value: text.slice(start + 1, at), end: at + 1 }
  }
  return undefined
}

/** Returns what may stand between a lead and its value. In “call it To do”, there is nothing. */
function linkAfter(lead: string): RegExp {
  if (lead.startsWith("rename")) return /^\s?(?:to(?![\p{L}\p{N}-]))?\s?:?\s?/iu
  if (/^(?:add|sample)\b/.test(lead)) return /^\s?(?:(?:called|named)(?![\p{L}\p{N}-]))?\s?:?\s?/iu
  return /^\s?:?\s?/
}

/** Up to the end of the sentence. */
const SENTENCE = /^[^.;!?\n]{1,100}/

const manners = ["instead", "please", "now", "thanks", "thank you"]

/** Removes polite words from the end. */
export function withoutManners(text: string): string {
  const plain = text.replace(/\.$/, "")
  const last = manners.find((words) => plain.toLowerCase().endsWith(` ${words}`))
  return last === undefined ? text : withoutManners(plain.slice(0, -last.length - 1).replace(/,$/, ""))
}

function indexOfWords(text: string, words: string): number {
  const at = ` ${text}`.indexOf(` ${words}`)
  const next = text.charAt(at + words.length)
  return at >= 0 && !/[\p{L}\p{N}]/u.test(next) ? at : -1
}
