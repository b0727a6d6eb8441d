export interface TakenValue {
  /** The value as written, or undefined if none of the leads occurs in the text. */
  value: string | undefined
  rest: string
}

/** Takes the value after the first lead: either in quotes, or up to the end of the sentence. */
export function takeValue(text: string, leads: readonly string[]): TakenValue {
  const lower = text.toLowerCase()
  const found = leads
    .map((lead) => ({ lead, at: indexOfWords(lower, lead) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || b.lead.length - a.lead.length)[0]
  if (!found) return { value: undefined, rest: text }
  const before = text.slice(0, found.at)
  const after = text.slice(found.at + found.lead.length).replace(/^\s?(?:called|named|to|:)?:?\s?/i, "")
  const quoted = /^["“”'‘`]([^"“”`\n]{1,100}?)["“”'’`](?![\p{L}])/u.exec(after)
  const value = quoted?.[1] ?? withoutManners(/^[^.;!?\n]{1,100}/.exec(after)?.[0] ?? "")
  const rest = after.slice((quoted?.[0] ?? value).length)
  return { value: value.trim(), rest: `${before} ${rest}` }
}

const manners = ["instead", "please", "now", "thanks", "thank you"]

/** Removes polite words from the end. */
function withoutManners(text: string): string {
  const last = manners.find((words) => text.toLowerCase().endsWith(` ${words}`))
  return last === undefined ? text : withoutManners(text.slice(0, -last.length - 1).replace(/,$/, ""))
}

function indexOfWords(text: string, words: string): number {
  const at = ` ${text}`.indexOf(` ${words}`)
  const next = text.charAt(at + words.length)
  return at >= 0 && !/[\p{L}\p{N}]/u.test(next) ? at : -1
}
