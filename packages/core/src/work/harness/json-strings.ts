/** A part of a string value of a JSON document. */
export interface StringPiece {
  /** The keys and indexes that lead to the value, of the outermost 50 containers. */
  path: readonly (string | number)[]
  text: string
  /** Whether the value ends with it. */
  isLast: boolean
}

/** An object, whose key is not read yet or read, or a list with the index of its present item. */
type Container = { type: "object"; key: string | undefined } | { type: "list"; index: number }

/** More than any tool's arguments have: the path of each string in deep lists would take the square of their number. */
const MAX_PATH = 50

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }

/**
 * Decodes the string values of a JSON document while it arrives: call it with each chunk, for the parts of values in it. The
 * same document gives the same texts, however it is split; never half a character. What is no JSON gives anything, but no error.
 */
export function createJsonStringDecoder(): (chunk: string) => StringPiece[] {
  const containers: Container[] = []
  let reading: "key" | "value" | undefined
  /** The decoded text that is not emitted yet. */
  let text = ""
  /** The characters of an unfinished escape. */
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

  /** Emits what there is of a value, without the first half of a character whose second half is still to come. */
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
