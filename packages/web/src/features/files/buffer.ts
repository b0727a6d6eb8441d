/** One open file: what is in the editor, what the server has, and what has to be settled between them. */
export interface Buffer {
  text: string
  /** What the server has, as far as we know. Null: nothing, the file is gone. */
  server: string | null
  /** Texts that we sent and that haven't come back by the stream. */
  sent: readonly string[]
  /** What somebody else wrote while this text was being edited, until its editor decides. */
  theirs: string | null
  saving: boolean
  /** When the text that is in the editor was saved here, not before it. */
  saved: boolean
  failure: string | null
}

export type BufferNews =
  | { type: "edited"; text: string }
  /** A version of the file came by the stream; `expected`, if it is the one that the text in the editor was made from. */
  | { type: "arrived"; text: string; expected?: boolean }
  | { type: "removed" }
  | { type: "sent"; text: string }
  | { type: "stored"; text: string }
  | { type: "refused"; text: string; reason: string }
  | { type: "kept_mine" }
  | { type: "took_theirs" }
  | { type: "reverted" }

/** A file as it was read, or a text that was left unsaved over it. */
export function openBuffer(server: string | null, draft: { text: string; overSame: boolean } | null): Buffer {
  const text = server ?? ""
  const buffer: Buffer = { text, server, sent: [], theirs: null, saving: false, saved: false, failure: null }
  if (!draft || draft.text === text) return buffer
  return { ...buffer, text: draft.text, theirs: draft.overSame ? null : server }
}

/** Whether there is something here that only this browser has. */
export function isDirty({ text, server }: Buffer): boolean {
  return text !== (server ?? "")
}

/** The buffer after something happened. Nothing that was typed is ever lost but by `took_theirs` and `reverted`. */
export function reduceBuffer(buffer: Buffer, news: BufferNews): Buffer {
  switch (news.type) {
    case "edited":
      return news.text === buffer.text ? buffer : { ...buffer, text: news.text, saved: false }
    case "arrived":
      return news.expected && buffer.server === null ? { ...buffer, server: news.text } : arrived(buffer, news.text)
    case "removed":
      return { ...buffer, text: isDirty(buffer) ? buffer.text : "", server: null, theirs: null, saved: false }
    case "sent":
      return { ...buffer, sent: [...buffer.sent, news.text], saving: true, failure: null }
    case "stored":
      return { ...buffer, server: news.text, saving: false, saved: buffer.text === news.text }
    case "refused":
      return { ...buffer, sent: without(buffer.sent, news.text), saving: false, failure: news.reason }
    case "kept_mine":
      return { ...buffer, theirs: null }
    case "took_theirs":
      return { ...buffer, text: buffer.theirs ?? buffer.text, theirs: null }
    case "reverted":
      return { ...buffer, text: buffer.server ?? buffer.text, theirs: null, failure: null }
  }
}

/**
 * What comes by the stream is our own text come back, or somebody else's. Our own may come before the answer to our request
 * or after it, and after that of a later one.
 */
function arrived(buffer: Buffer, text: string): Buffer {
  const own = buffer.sent.lastIndexOf(text)
  if (own >= 0) {
    const sent = buffer.sent.slice(own + 1)
    return { ...buffer, sent, server: sent.length > 0 ? buffer.server : text }
  }
  if (text === buffer.server) return buffer
  if (!isDirty(buffer)) return { ...buffer, text, server: text, saved: false }
  if (text === buffer.text) return { ...buffer, server: text, theirs: null }
  return { ...buffer, server: text, theirs: text }
}

function without(texts: readonly string[], text: string): readonly string[] {
  const at = texts.lastIndexOf(text)
  return texts.filter((_, index) => index !== at)
}
