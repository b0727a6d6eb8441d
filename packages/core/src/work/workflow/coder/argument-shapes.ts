import * as z from "zod"
import { parseJson } from "../../../text/parse-json.ts"

/** Names that other tools use for these arguments. Some models use them for our tools, too. */
const OTHER_NAMES: Record<string, readonly string[]> = {
  path: ["file_path", "filePath", "filename", "file"],
  content: ["contents", "file_text", "text", "code"],
  search: ["old_string", "old_str", "old_text", "old"],
  replace: ["new_string", "new_str", "new_text", "new"],
}

/** Corrects `write_file` arguments: JSON given as an object instead of text, and names from other tools. */
export function asWrite(args: unknown): unknown {
  const named = withOurNames(args, ["path", "content"])
  const parsed = z.object({ path: z.string(), content: z.record(z.string(), z.unknown()) }).safeParse(named)
  return parsed.success ? { ...parsed.data, content: `${JSON.stringify(parsed.data.content, null, 2)}\n` } : named
}

/**
 * Corrects `edit_file` arguments: a single edit without a list, a list given as JSON text, and names from other tools.
 */
export function asEdits(args: unknown): unknown {
  const named = withOurNames(args, ["path"])
  if (!isRecord(named)) return args
  const { edits = named, ...rest } = named
  const list = typeof edits === "string" ? (parseJson(edits) ?? edits) : edits
  const all = (Array.isArray(list) ? list : [list]).map((edit) => withOurNames(edit, ["search", "replace"]))
  return { ...rest, edits: all }
}

function withOurNames(args: unknown, names: string[]): unknown {
  if (!isRecord(args)) return args
  const given = Object.fromEntries(
    names.flatMap((name) => {
      const other = args[name] === undefined ? OTHER_NAMES[name]?.find((one) => args[one] !== undefined) : undefined
      return other === undefined ? [] : [[name, args[other]]]
    }),
  )
  return { ...args, ...given }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
