/** A mention being typed: the position of its `@`, and the text between it and the caret. */
export interface Mention {
  at: number
  query: string
}

/** Returns the mention at the caret, if there is one. An `@` inside a word is part of an email address. */
export function mentionAt(text: string, caret: number): Mention | null {
  const found = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(text.slice(0, caret))
  return found ? { at: caret - (found[1] ?? "").length - 1, query: found[1] ?? "" } : null
}

/** Returns the text with the mention replaced by the path, and the caret after it. */
export function insertMention(text: string, { at, query }: Mention, path: string): { text: string; caret: number } {
  const before = `${text.slice(0, at)}@${path} `
  const rest = text.slice(at + 1 + query.length)
  return { text: before + rest.replace(/^ /, ""), caret: before.length }
}
