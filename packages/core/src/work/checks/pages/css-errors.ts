import type { CssNode } from "css-tree/parser"
import { type Fault, faultAt, lineAt } from "../facts/finding.ts"
import { nearOf } from "../facts/near.ts"

/** The longest text that is read, in characters: the library doesn't look at the clock. */
const MAX_CHARS = 500_000

/** The first thing in a stylesheet that browsers drop because it is no CSS: text of an answer, a semicolon too few, a misspelt property. */
export async function checkCss(text: string): Promise<Fault[]> {
  if (text.length > MAX_CHARS || TEMPLATE.test(text)) return []
  const comment = text.lastIndexOf("/*")
  if (comment >= 0 && text.indexOf("*/", comment + 2) < 0 && !/["'(][^"'()\n]*$/.test(text.slice(0, comment))) {
    return [faultAt(lineAt(text, comment), "syntax", "the comment that begins here has no end.")]
  }
  // Loaded with the first stylesheet that is checked.
  const { default: parse } = await import("css-tree/parser")
  const { default: properties } = await import("known-css-properties")
  const known = new Set([...properties.all, ...DESCRIPTORS])
  for (const node of nodesOf(parse(text, { positions: true }))) {
    const fault = faultOf(node) ?? misspelt(node, known)
    if (fault) return [fault]
  }
  return []
}

/** Templates only become CSS. */
const TEMPLATE = /\{\{|\{%|<%|<\?/

/** All nodes down to declarations, in the order of the text. */
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

/** Names in rules such as `@font-face`, which only those have. */
const DESCRIPTORS =
  "src size marks bleed system symbols additive-symbols negative prefix suffix range pad fallback speak-as syntax inherits initial-value ascent-override descent-override line-gap-override base-palette override-colors navigation types".split(
    " ",
  )

/** A property that isn't there, and whose name is nearly that of one that is. */
function misspelt({ type, loc, property = "" }: CssNode, known: Set<string>): Fault | undefined {
  if (type !== "Declaration" || !/^[a-z][a-z-]+$/.test(property) || known.has(property)) return undefined
  const near = nearOf(property, known)
  return near === undefined
    ? undefined
    : faultAt(loc.start.line, "missing_name", `there is no property "${property}": "${near}" is one.`)
}

const rawOf = ({ type, value }: CssNode) => (type === "Raw" && typeof value === "string" ? value : "")

const MAX_SHOWN_CHARS = 60

/** Whole rules can be nested in more ways than the library knows, and a name alone or a stray `;` does no harm. */
function unread(line: number, text: string, as: string): Fault | undefined {
  if (text.includes("{") || !/\S\s+\S|[<>`]/.test(text)) return undefined
  const [shown = ""] = text.trim().split("\n", 1)
  return faultAt(line, "syntax", `"${shown.slice(0, MAX_SHOWN_CHARS)}" can't be read as ${as}.`)
}
