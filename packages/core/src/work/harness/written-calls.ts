import * as z from "zod"
import { readProse, startOfProse } from "../../files/edits/prose.ts"
import type { ToolSpec } from "../../models/provider.ts"
import { parseLenientJson } from "../../text/lenient-json.ts"
import { argumentName, normalArguments } from "./argument-shapes.ts"
import { toolNamed } from "./tools.ts"

/** A call to a known tool. */
export interface WrittenCall {
  name: string
  args: object
}

/**
 * Reads the calls that an answer contains as text because the model's server didn't parse them: `<tool_call>` with JSON
 * or Qwen's XML, `[TOOL_CALLS]`, `<|python_tag|>`, similar tokens, or an answer that consists only of JSON. Returns the
 * calls, and the model's words before them.
 *
 * The answer must end with the calls. They must call known tools, and be outside of code fences, quotations and
 * thoughts. Returns undefined if there are no such calls, or if the answer may only be quoting them.
 */
export function writtenCalls(
  answer: string,
  tools: readonly ToolSpec[],
): { words: string; calls: WrittenCall[] } | undefined {
  const { words, rest } = splitAnswer(answer)
  const calls = readCalls(rest, tools)
  return calls && calls.length > 0 ? { words, calls } : undefined
}

const FIRST_TOKEN = /^(?:<tool_call>|<function=|\[TOOL_CALLS\]|<\|python_tag\|>|<[|｜]tool[\w▁]*[|｜]>)/
/** Text around names and arguments, and tokens at the end of an answer. */
const SEPARATORS =
  /(?:[\s;]+|<\/?tool_call>|<\/function>|\[(?:TOOL_CALLS|ARGS)\]|\[CALL_ID\]\w+|<[|｜](?:tool[\w▁]*|python_tag|im_end|eot_id|eom_id|end|call)[|｜]>|<\/s>)*/y

/**
 * Splits an answer before the first call that starts at the beginning of a line. Without such a line, the whole answer
 * may be a call.
 */
function splitAnswer(answer: string): { words: string; rest: string } {
  let prose = startOfProse
  let words: string[] = []
  let at = 0
  for (const line of answer.split("\n")) {
    const read = readProse(prose, line)
    if (read.endsUnbegun) words = []
    if (read.kind === "words" && FIRST_TOKEN.test(read.words)) {
      return { words: words.join("\n").trim(), rest: answer.slice(at + line.length - read.words.length) }
    }
    if (read.kind !== "thought") words.push(read.words)
    prose = read.prose
    at += line.length + 1
  }
  const whole = words
    .join("\n")
    .replace(/^\s*\n/, "")
    .trimEnd()
  const [, fenced = whole] = /^```(?:json)?\n([\s\S]*)\n```$/.exec(whole) ?? []
  return { words: "", rest: isIndentedCode(whole) ? "" : fenced }
}

function isIndentedCode(text: string): boolean {
  return /^(?: {4}|\t)/.test(text)
}

/** Reads calls up to the end of the text. Returns undefined if the text contains anything else. */
function readCalls(text: string, tools: readonly ToolSpec[]): WrittenCall[] | undefined {
  const calls: WrittenCall[] = []
  // The XML isn't escaped, so an apparent series of calls may be a single call that writes a text containing calls.
  const hasXml = text.includes("<parameter=")
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    at += found?.[0].length ?? 0
    return found
  }
  for (take(SEPARATORS); at < text.length; take(SEPARATORS)) {
    const [, tagged] = take(/<function=([^<>\s]+)>/y) ?? []
    const name = tagged ?? take(/[\w.:-]+/y)?.[0]
    take(SEPARATORS)
    const isJson = /[{[]/.test(text.charAt(at))
    const end = isJson ? jsonEnd(text, at) : text.indexOf("</function>", at)
    if (end === -1) return undefined
    const body = text.slice(at, end)
    const found = isJson ? jsonCalls(name, body, tools) : xmlCall(tagged, body, tools)
    if (!found || (hasXml && calls.length > 0)) return undefined
    calls.push(...found)
    at = end
  }
  return calls
}

/** Returns the end of the JSON value that begins at `from`, or -1 if the value is incomplete. */
function jsonEnd(text: string, from: number): number {
  let depth = 0
  for (const { 0: token, index } of text.slice(from).matchAll(/"(?:[^"\\]+|\\[\s\S])*"?|[{}[\]]/g)) {
    if (token === "{" || token === "[") depth++
    if (token === "}" || token === "]") depth--
    if (depth === 0) return from + index + 1
  }
  return -1
}

const Arguments = z.preprocess(
  (args) => (typeof args === "string" ? parseLenientJson(args) : args),
  z.record(z.string(), z.unknown()),
)
const NamedCall = z.union([
  z.object({ name: z.string(), arguments: Arguments }).transform((call) => ({ name: call.name, args: call.arguments })),
  z.object({ name: z.string(), parameters: Arguments }).transform(({ name, parameters: args }) => ({ name, args })),
])
const JsonCall = z.union([NamedCall, z.object({ function: NamedCall }).transform((call) => call.function)])
const JsonCalls = z.union([z.array(JsonCall), JsonCall.transform((call) => [call])])

function jsonCalls(name: string | undefined, body: string, tools: readonly ToolSpec[]): WrittenCall[] | undefined {
  const value = parseLenientJson(body)
  const { data } = JsonCalls.safeParse(name === undefined ? value : { name, arguments: value })
  const known = data?.flatMap((call) => {
    const tool = toolNamed(call.name, tools)
    return tool ? [{ name: tool.name, args: normalArguments(call.args, tool) as object }] : []
  })
  return known?.length === data?.length ? known : undefined
}

/**
 * Reads a call in Qwen's XML. Refuses a value that contains a call's tag, because the end of the value would be
 * ambiguous.
 */
function xmlCall(name = "", body: string, tools: readonly ToolSpec[]): WrittenCall[] | undefined {
  const tool = toolNamed(name, tools)
  const shape = tool?.parameters instanceof z.ZodObject ? new Map(Object.entries(tool.parameters.shape)) : undefined
  const args = new Map<string, unknown>()
  let at = 0
  for (const [parameter, given = "", text = ""] of body.matchAll(PARAMETER)) {
    const key = (tool && argumentName(given, tool)) ?? given
    const schema = shape?.get(key)
    if (!schema || args.has(key) || /<\/?(?:tool_call|function|parameter)\b/.test(text)) return undefined
    const value = text.replace(/^\r?\n/, "").replace(/\r?\n$/, "")
    // If the tool expects text, text that looks like JSON remains unchanged.
    args.set(key, z.safeParse(schema, value).success ? value : (parseLenientJson(value) ?? value))
    at += parameter.length
  }
  return tool && body.slice(at).trim() === ""
    ? [{ name: tool.name, args: normalArguments(Object.fromEntries(args), tool) as object }]
    : undefined
}

const PARAMETER = /\s*<parameter=([^<>\s]+)>([\s\S]*?)<\/parameter>\s*/gy
