import type { CssNode } from "css-tree/parser"
import { type Fault, faultAt, lineAt, quoted } from "../facts/finding.ts"
import { nearOf } from "../facts/near.ts"

/** Maximum number of characters to parse, because the library doesn't support a time limit. */
const MAX_CHARS = 500_000

/**
 * Finds the first part of a stylesheet that browsers drop because it isn't valid CSS. Examples are text from a model's
 * answer, a missing semicolon, and a misspelt property.
 */
export async function checkCss(text: string): Promise<Fault[]> {
  if (text.length > MAX_CHARS || TEMPLATE.test(text)) return []
  const comment = text.lastIndexOf("/*")
  if (comment >= 0 && text.indexOf("*/", comment + 2) < 0 && !/["'(][^"'()\n]*$/.test(text.slice(0, comment))) {
    return [faultAt(lineAt(text, comment), "syntax", "the comment that begins here is never closed.")]
  }
  // Loaded lazily, when the first stylesheet is checked.
  const { default: parse } = await import("css-tree/parser")
  const { default: properties } = await import("known-css-properties")
  const known = new Set([...properties.all, ...DESCRIPTORS])
  for (const node of nodesOf(parse(text, { positions: true }))) {
    const fault = faultOf(node) ?? misspelt(node, known)
    if (fault) return [fault]
  }
  return []
}

/** Template syntax. A file that contains it isn't plain CSS. */
const TEMPLATE = /\{\{|\{%|<%|<\?/

/** Yields all nodes, down to the level of declarations, in source order. */
function* nodesOf(node: CssNode): Generator<CssNode> {
  yield node
  for (const child of node.children ?? []) yield* nodesOf(child)
  if (node.block) yield* nodesOf(node.block)
}

function faultOf({ type, loc, value, prelude, property = "" }: CssNode): Fault | undefined {
  const line = loc.start.line
  if (type === "Rule" && prelude?.type === "Raw") return unread(prelude.loc.start.line, rawOf(prelude), "a selector")
  if (type === "Raw" && typeof value === "string") return unread(line, value, "CSS")
  if (type !== "Declaration" || property.startsWith("--") || typeof value !== "object") return undefined
  const lines = rawOf(value).split("\n").slice(1)
  const next = lines.flatMap((line) => /^\s*([\w-]+)\s*:\s/.exec(line)?.[1] ?? [])[0]
  return next === undefined ? undefined : faultAt(line, "syntax", `";" is missing between "${property}" and "${next}".`)
}

/** Names that are valid only in at-rules such as `@font-face`. */
const DESCRIPTORS =
  "src size marks bleed system symbols additive-symbols negative prefix suffix range pad fallback speak-as syntax inherits initial-value ascent-override descent-override line-gap-override base-palette override-colors navigation types".split(
    " ",
  )

/** Returns a fault for an unknown property that resembles a known one. */
function misspelt({ type, loc, property = "" }: CssNode, known: Set<string>): Fault | undefined {
  if (type !== "Declaration" || !/^[a-z][a-z-]+$/.test(property) || known.has(property)) return undefined
  const near = nearOf(property, known)
  return near === undefined
    ? undefined
    : faultAt(loc.start.line, "missing_name", `there is no property "${property}". Did you mean "${near}"?`)
}

const rawOf = ({ type, value }: CssNode) => (type === "Raw" && typeof value === "string" ? value : "")

/**
 * Reports text that couldn't be parsed. Skips nested rules that the library doesn't know, and harmless text such as a
 * single name or a stray `;`.
 */
function unread(line: number, text: string, as: string): Fault | undefined {
  if (text.includes("{") || !/\S\s+\S|[<>`]/.test(text)) return undefined
  return faultAt(line, "syntax", `"${quoted(text)}" can't be parsed as ${as}.`)
}
