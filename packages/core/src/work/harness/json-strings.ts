/** Part of a string value in a JSON document. */
export interface StringPiece {
  /** Keys and indexes leading to the value, up to 50. */
  path: readonly (string | number)[]
  text: string
  /** True for the last part of the value. */
  isLast: boolean
}

/** An object with its current key, if the key has been read, or a list with its current index. */
type Container = { type: "object"; key: string | undefined } | { type: "list"; index: number }

/**
 * Maximum depth, which is more than any tool's arguments need. Without this limit, deep nesting would take quadratic
 * time and memory.
 */
const MAX_PATH = 50

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }

/**
 * Creates a decoder for the string values in a JSON document that is still arriving. The decoder is called with each
 * chunk, and returns the parts of values in that chunk. Chunk boundaries don't affect the decoded text, and surrogate
 * pairs are never split. For invalid JSON, the decoder returns arbitrary parts, but never throws.
 */
export function createJsonStringDecoder(): (chunk: string) => StringPiece[] {
  const containers: Container[] = []
  let reading: "key" | "value" | undefined
  /** Decoded text that hasn't been emitted yet. */
  let text = ""
  /** Characters of an unfinished escape. */
  let pending = ""

  return (chunk) => {
    const pieces: StringPiece[] = []
    for (const char of chunk.split("")) {
      if (reading === undefined) readStructure(char)
      else if (pending !== "") readEscape(char)
      else if (char === "\\") pending = char
      else if (char !== '"') text += char
      else endString(pieces)
    }
    if (reading === "value") emitWhole(pieces)
    return pieces
  }

  function readStructure(char: string): void {
    const container = containers.at(-1)
    if (char === "{") containers.push({ type: "object", key: undefined })
    else if (char === "[") containers.push({ type: "list", index: 0 })
    else if (char === "}" || char === "]") containers.pop()
    else if (char === '"') reading = container?.type === "object" && container.key === undefined ? "key" : "value"
    else if (char === "," && container?.type === "object") container.key = undefined
    else if (char === "," && container?.type === "list") container.index++
  }

  function readEscape(char: string): void {
    pending += char
    if (pending.startsWith("\\u") && pending.length < 6) return
    const code = pending.length === 6 ? Number.parseInt(pending.slice(2), 16) : Number.NaN
    text += Number.isNaN(code) ? (ESCAPES[char] ?? char) : String.fromCharCode(code)
    pending = ""
  }

  function endString(pieces: StringPiece[]): void {
    const container = containers.at(-1)
    if (reading === "value") pieces.push({ path: path(), text, isLast: true })
    else if (container?.type === "object") container.key = text
    reading = undefined
    text = ""
  }

  /** Emits the value so far, except a trailing high surrogate. */
  function emitWhole(pieces: StringPiece[]): void {
    const whole = /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
    if (whole !== "") pieces.push({ path: path(), text: whole, isLast: false })
    text = text.slice(whole.length)
  }

  function path(): (string | number)[] {
    return containers
      .slice(0, MAX_PATH)
      .map((container) => (container.type === "object" ? (container.key ?? "") : container.index))
  }
}
