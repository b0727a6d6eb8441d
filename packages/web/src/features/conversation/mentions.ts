/** A mention that is being written: where its `@` is, and what follows it up to the caret. */
export interface Mention {
  at: number
  query: string
}

/** The mention that the caret is in, if it is in one. An `@` in a word is an address's. */
export function mentionAt(text: string, caret: number): Mention | null {
  const found = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(0, caret))
  return found ? { at: caret - (found[1] ?? "").length - 1, query: found[1] ?? "" } : null
}

/** The text with the path in the mention's place, and the caret after it. */
export function insertMention(text: string, { at, query }: Mention, path: string): { text: string; caret: number } {
  const before = `${text.slice(0, at)}@${path} `
  const rest = text.slice(at + 1 + query.length)
  return { text: before + rest.replace(/^ /, ""), caret: before.length }
}
