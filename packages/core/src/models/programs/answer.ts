import { randomUUID } from "node:crypto"
import { parseLenientJson } from "../../text/lenient-json.ts"
import { finishToolCall } from "../chat-chunks.ts"
import type { ModelEvent, ToolCall } from "../provider.ts"
import { CALL } from "./prompt.ts"

/** Reader of an answer whose calls are written as text, in the form that `programPrompt` asks for. */
interface WrittenAnswer {
  /** Returns the events of the next part of the text. */
  push(text: string): ModelEvent[]
  /**
   * Returns the last events before `end`, and the number of calls. Text that looks like calls but can't be read as such
   * is emitted as text.
   */
  end(options: { isCut: boolean }): { events: ModelEvent[]; calls: number }
}

/** Creates a reader. Without tools, an answer has no calls. */
export function readWrittenAnswer({ hasTools }: { hasTools: boolean }): WrittenAnswer {
  /** Received, but not emitted yet: a possible beginning of a call, or all text since the first call. */
  let held = ""
  let isInCalls = false
  let isLineStart = true
  const preview = createPreview()

  function push(text: string): ModelEvent[] {
    if (text === "") return []
    held += text
    if (!hasTools) return emit(held.length)
    if (isInCalls) return preview(held)
    const at = firstCall(held, isLineStart)
    if (at === undefined) return emit(held.length)
    const events = emit(at.from)
    isInCalls = at.isCall
    return isInCalls ? [...events, ...preview(held)] : events
  }

  function emit(length: number): ModelEvent[] {
    const text = held.slice(0, length)
    held = held.slice(length)
    if (text === "") return []
    isLineStart = /\n[ \t]*$/.test(text) || (isLineStart && text.trim() === "")
    return [{ type: "text", text }]
  }

  return {
    push,
    end({ isCut }) {
      const calls = isInCalls ? readCalls(held, isCut) : undefined
      if (!calls) return { events: emit(held.length), calls: 0 }
      return { events: calls.map((call) => ({ type: "tool_call", call })), calls: calls.length }
    },
  }
}

/**
 * Returns the position of the first call that begins on a line of its own, or of text at the end that may become one.
 */
function firstCall(text: string, isLineStart: boolean): { from: number; isCall: boolean } | undefined {
  for (let line = isLineStart ? 0 : text.indexOf("\n") + 1; ; ) {
    if (line === 0 && !isLineStart) return undefined
    const from = line + (/^[ \t]*/.exec(text.slice(line, line + 100))?.[0].length ?? 0)
    const begins = text.slice(from, from + CALL.open.length)
    if (begins === CALL.open) return { from, isCall: true }
    if (from + begins.length === text.length && CALL.open.startsWith(begins)) return { from: line, isCall: false }
    const next = text.indexOf("\n", line)
    if (next === -1) return undefined
    line = next + 1
  }
}

const HEAD = /^<tool_call>\s*\{\s*"name"\s*:\s*"([^"\\]{1,100})"\s*,\s*"arguments"\s*:\s*(?=\{)/

/** Reads the calls of a complete answer. Undefined if there is other text, or a call in another form. */
function readCalls(text: string, isCut: boolean): ToolCall[] | undefined {
  const calls: ToolCall[] = []
  let rest = text.trim()
  while (rest !== "") {
    const head = HEAD.exec(rest)
    const from = head ? head[0].length : CALL.open.length
    const end = rest.startsWith(CALL.open) ? createJsonEnd()(rest, from) : undefined
    if (end === undefined) {
      // Reported as a call without arguments, as other providers do.
      if (isCut && head) calls.push(callOf(head[1] ?? "", rest.slice(from), true))
      return isCut && calls.length > 0 ? calls : undefined
    }
    const body = rest.slice(from, end)
    const call = head ? callOf(head[1] ?? "", body, false) : looseCall(body)
    if (!call) return undefined
    calls.push(call)
    // The object around the arguments ends with a bracket of its own.
    rest = rest
      .slice(end)
      .replace(head ? /^\s*\}/ : "", "")
      .trimStart()
    if (rest.startsWith(CALL.close)) rest = rest.slice(CALL.close.length).trimStart()
  }
  return calls
}

function callOf(name: string, rawArguments: string, isCut: boolean): ToolCall {
  return finishToolCall({ id: newId(), name, rawArguments }, { isCut })
}

/** Reads a call whose fields are in another order, or that has slips in its JSON. */
function looseCall(body: string): ToolCall | undefined {
  const value = parseLenientJson(body)
  if (typeof value !== "object" || value === null || !("name" in value) || !("arguments" in value)) return undefined
  return typeof value.name === "string" ? callOf(value.name, JSON.stringify(value.arguments), false) : undefined
}

function newId(): string {
  return `call_${randomUUID()}`
}

/** Emits the arguments of calls while they arrive. `text` begins with the first call, and grows. */
function createPreview(): (text: string) => ModelEvent[] {
  let index = 0
  let at = 0
  let open: { name: string; ends: ReturnType<typeof createJsonEnd> } | undefined
  return (text) => {
    const events: ModelEvent[] = []
    while (at < text.length) {
      if (!open) {
        const [between = ""] = /^[\s}]*(?:<\/tool_call>)?\s*/.exec(index === 0 ? "" : text.slice(at)) ?? []
        const head = HEAD.exec(text.slice(at + between.length))
        if (!head) return events
        at += between.length + head[0].length
        open = { name: head[1] ?? "", ends: createJsonEnd() }
      }
      const { name, ends } = open
      const argumentsDelta = text.slice(at, ends(text, at))
      events.push({ type: "tool_call_delta", index, name, argumentsDelta })
      at += argumentsDelta.length
      if (!ends.isOver()) return events
      index++
      open = undefined
    }
    return events
  }
}

/** Creates a search for the end of a JSON value that arrives in parts. Returns undefined until the end is found. */
function createJsonEnd() {
  let depth = 0
  let isInString = false
  let isEscaped = false
  let over = false
  const find = (text: string, from: number): number | undefined => {
    for (let at = from; at < text.length; at++) {
      const char = text[at]
      if (isEscaped) isEscaped = false
      else if (char === "\\") isEscaped = isInString
      else if (char === '"') isInString = !isInString
      else if (isInString) continue
      else if (char === "{" || char === "[") depth++
      else if ((char === "}" || char === "]") && --depth === 0) {
        over = true
        return at + 1
      }
    }
    return undefined
  }
  return Object.assign(find, { isOver: () => over })
}
