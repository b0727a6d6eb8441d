/** An open file: the editor's text, the server's text, and the conflict between them, if any. */
export interface Buffer {
  text: string
  /** The server's text, as far as known; null if the file is gone. */
  server: string | null
  /** Hash of the server's text. It is sent when saving, so that the server can detect a conflict. */
  sha256: string | null
  /** Texts that were sent and haven't come back on the stream yet. */
  sent: readonly string[]
  /** Another writer's text that arrived during editing, kept until the user decides. */
  theirs: string | null
  saving: boolean
  /** True if the editor's text is the one that was saved here. */
  saved: boolean
  failure: string | null
}

export type BufferAction =
  | { type: "edited"; text: string }
  /** A version of the file arrived on the stream. `expected` if it is the one that the editor's text is based on. */
  | { type: "arrived"; text: string; sha256: string; expected?: boolean }
  | { type: "removed" }
  | { type: "sent"; text: string }
  | { type: "stored"; text: string; sha256: string }
  | { type: "refused"; text: string; reason: string }
  /** Another writer was faster. Their text arrives on the stream, if it hasn't already. */
  | { type: "overtaken"; text: string }
  | { type: "kept_mine" }
  | { type: "took_theirs" }
  | { type: "reverted" }

/** Creates the buffer of a file as it was loaded, or of an unsaved draft on top of it. */
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

/** Returns true if the buffer has unsaved changes. */
export function isDirty({ text, server }: Buffer): boolean {
  return text !== (server ?? "")
}

/** Returns the buffer after an event. Typed text is discarded only by `took_theirs` and `reverted`. */
export function reduceBuffer(buffer: Buffer, action: BufferAction): Buffer {
  switch (action.type) {
    case "edited":
      return action.text === buffer.text ? buffer : { ...buffer, text: action.text, saved: false }
    case "arrived":
      return action.expected && buffer.server === null
        ? { ...buffer, server: action.text, sha256: action.sha256 }
        : arrived(buffer, action)
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
      return { ...buffer, sent: [...buffer.sent, action.text], saving: true, failure: null }
    case "stored":
      return stored(buffer, action)
    case "refused":
      return { ...buffer, sent: without(buffer.sent, action.text), saving: false, failure: action.reason }
    case "overtaken":
      return { ...buffer, sent: without(buffer.sent, action.text), saving: false }
    case "kept_mine":
      return { ...buffer, theirs: null }
    case "took_theirs":
      return { ...buffer, text: buffer.theirs ?? buffer.text, theirs: null }
    case "reverted":
      return { ...buffer, text: buffer.server ?? buffer.text, theirs: null, failure: null }
  }
}

/**
 * Tells our own text, coming back on the stream, from another writer's. Ours may arrive before the response to its
 * request, after it, or even after the response to a later one.
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

/** If our text has already come back, anything that followed it is newer than this response. */
function stored(buffer: Buffer, { text, sha256 }: { text: string; sha256: string }): Buffer {
  const after = { ...buffer, saving: false, saved: buffer.text === text }
  return buffer.sent.includes(text) ? { ...after, server: text, sha256 } : after
}

function without(texts: readonly string[], text: string): readonly string[] {
  const at = texts.lastIndexOf(text)
  return texts.filter((_, index) => index !== at)
}
