/** One open file: what is in the editor, what the server has, and what has to be settled between them. */
export interface Buffer {
  text: string
  /** What the server has, as far as we know. Null: nothing, the file is gone. */
  server: string | null
  /** The hash of that, by which the server knows whether what is saved was made of what it has. */
  sha256: string | null
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
  | { type: "arrived"; text: string; sha256: string; expected?: boolean }
  | { type: "removed" }
  | { type: "sent"; text: string }
  | { type: "stored"; text: string; sha256: string }
  | { type: "refused"; text: string; reason: string }
  /** Somebody else was quicker: what the server has now comes by the stream, if it hasn't yet. */
  | { type: "overtaken"; text: string }
  | { type: "kept_mine" }
  | { type: "took_theirs" }
  | { type: "reverted" }

/** A file as it was read, or a text that was left unsaved over it. */
export function openBuffer(
  read: { text: string; sha256: string } | null,
  draft: { text: string; overSame: boolean } | null,
): Buffer {
  const { text: server = null, sha256 = null } = read ?? {}
  const text = server ?? ""
  const buffer: Buffer = { text, server, sha256, sent: [], theirs: null, saving: false, saved: false, failure: null }
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
      return news.expected && buffer.server === null
        ? { ...buffer, server: news.text, sha256: news.sha256 }
        : arrived(buffer, news)
    case "removed":
      return {
        ...buffer,
        text: isDirty(buffer) ? buffer.text : "",
        server: null,
        sha256: null,
        theirs: null,
        saved: false,
      }
    case "sent":
      return { ...buffer, sent: [...buffer.sent, news.text], saving: true, failure: null }
    case "stored":
      return stored(buffer, news)
    case "refused":
      return { ...buffer, sent: without(buffer.sent, news.text), saving: false, failure: news.reason }
    case "overtaken":
      return { ...buffer, sent: without(buffer.sent, news.text), saving: false }
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
function arrived(buffer: Buffer, { text, sha256 }: { text: string; sha256: string }): Buffer {
  const own = buffer.sent.lastIndexOf(text)
  if (own >= 0) {
    const sent = buffer.sent.slice(own + 1)
    return sent.length > 0 ? { ...buffer, sent } : { ...buffer, sent, server: text, sha256 }
  }
  if (text === buffer.server) return buffer
  if (!isDirty(buffer)) return { ...buffer, text, server: text, sha256, saved: false }
  if (text === buffer.text) return { ...buffer, server: text, sha256, theirs: null }
  return { ...buffer, server: text, sha256, theirs: text }
}

/** Where our text has come back already, what came after it is newer than the answer. */
function stored(buffer: Buffer, { text, sha256 }: { text: string; sha256: string }): Buffer {
  const told = { ...buffer, saving: false, saved: buffer.text === text }
  return buffer.sent.includes(text) ? { ...told, server: text, sha256 } : told
}

function without(texts: readonly string[], text: string): readonly string[] {
  const at = texts.lastIndexOf(text)
  return texts.filter((_, index) => index !== at)
}
