import * as z from "zod"
import type { ToolSpec } from "../../models/provider.ts"
import { parseLenientJson } from "../../text/lenient-json.ts"
import { parseJson } from "../../text/parse-json.ts"

/** Names that other tools use for these arguments. Some models use them for our tools too. */
const OTHER_NAMES: Record<string, readonly string[]> = {
  path: ["file_path", "filePath", "filename", "file"],
  content: ["contents", "file_text", "text", "code"],
  search: ["old_string", "old_str", "old_text", "old"],
  replace: ["new_string", "new_str", "new_text", "new"],
}
/** Names under which some models nest a call's arguments. */
const WRAPPERS = ["arguments", "parameters", "input", "args"]

type CalledTool = Pick<ToolSpec, "name" | "parameters"> & { writes?: unknown; edits?: unknown }

/**
 * Corrects typical mistakes that models make in a call's arguments: JSON in a string, a call within the call, argument
 * names from other tools, an object in place of a file's text, and a single edit that isn't in a list. If a call that
 * writes names no file, uses `filePath`. Returns anything else unchanged.
 */
export function normalArguments(args: unknown, tool: CalledTool, filePath?: string): unknown {
  const given = typeof args === "string" ? parseLenientJson(args) : args
  const names = argumentNames(tool)
  if (!isRecord(given) || !names) return args
  const named = withOurNames(unwrapped(given, names), names)
  const isWriting = tool.writes !== undefined || tool.edits !== undefined
  const whole = isWriting && named.path === undefined && filePath !== undefined ? { ...named, path: filePath } : named
  if (names.includes("edits")) return asEdits(whole)
  return names.includes("content") ? asText(whole) : whole
}

/** Returns our name for an argument of a tool, or undefined if the tool has no such argument. */
export function argumentName(given: string, tool: CalledTool): string | undefined {
  const names = argumentNames(tool) ?? []
  return names.includes(given) ? given : names.find((name) => OTHER_NAMES[name]?.includes(given))
}

function argumentNames({ parameters }: CalledTool): string[] | undefined {
  return parameters instanceof z.ZodObject ? Object.keys(parameters.shape) : undefined
}

/** Returns the inner arguments of `{"name": …, "arguments": {…}}`, or of `{"input": {…}}`. */
function unwrapped(args: Record<string, unknown>, names: string[]): Record<string, unknown> {
  const candidates = Object.entries(args).filter(([key]) => key !== "name" || names.includes(key))
  const [[wrapper, inner] = ["", undefined], ...others] = candidates
  if (others.length > 0 || !WRAPPERS.includes(wrapper) || names.includes(wrapper)) return args
  const parsed = typeof inner === "string" ? parseLenientJson(inner) : inner
  return isRecord(parsed) ? parsed : args
}

/** Converts a file's content to JSON text if the model sent it as an object. */
function asText(args: Record<string, unknown>): Record<string, unknown> {
  return isRecord(args.content) ? { ...args, content: `${JSON.stringify(args.content, null, 2)}\n` } : args
}

/** Corrects a single edit that isn't in a list, a list given as JSON text, and argument names from other tools. */
function asEdits(args: Record<string, unknown>): Record<string, unknown> {
  const { edits = args, ...rest } = args
  const list = typeof edits === "string" ? (parseJson(edits) ?? edits) : edits
  const all = (Array.isArray(list) ? list : [list]).map((edit) =>
    isRecord(edit) ? withOurNames(edit, ["search", "replace"]) : edit,
  )
  return { ...rest, edits: all }
}

function withOurNames(args: Record<string, unknown>, names: string[]): Record<string, unknown> {
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const isFree = (one: string) => args[one] !== undefined && !names.includes(one)
      const other = args[name] === undefined ? OTHER_NAMES[name]?.find(isFree) : undefined
      return other === undefined ? [] : [[name, args[other]]]
    }),
  )
  return { ...args, ...given }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
