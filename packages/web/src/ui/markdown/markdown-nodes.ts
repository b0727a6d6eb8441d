import { trimEndWhere } from "@switchyard/core/text/trim"
import MarkdownIt, { type Token } from "markdown-it"

export interface MarkdownNode {
  /** Token type, without the suffix that marks its beginning or end. */
  type: string
  token: Token
  children: readonly MarkdownNode[]
}

/** Lists, quotations and emphasis nested deeper than this are treated as text. */
const MAX_NESTING = 40

/** HTML stays text. The library takes linear time for any input. */
const markdown = new MarkdownIt({ html: false, maxNesting: MAX_NESTING })
markdown.core.ruler.push("tasks", ({ tokens }) => {
  for (const [at, { type, children }] of tokens.entries()) {
    const text = children?.[0]
    if (type === "inline" && text?.type === "text" && tokens[at - 2]?.type === "list_item_open") {
      text.content = text.content.replace(/^\[[ xX]\](?=\s)/, (box) => (box === "[ ]" ? "☐" : "☑"))
    }
  }
})
markdown.core.ruler.push("addresses", ({ tokens, Token }) => {
  for (const token of tokens) if (token.children) token.children = withLinks(token.children, Token)
})
const blocksOnly = new MarkdownIt({ html: false, maxNesting: MAX_NESTING })
blocksOnly.core.ruler.enableOnly(["normalize", "block"])

export function parseMarkdown(text: string): readonly MarkdownNode[] {
  return nodesOf(markdown.parse(text, {}))
}

/** Returns the top-level blocks of a text as line numbers, with an exclusive end. */
export function blockLines(text: string): { type: string; from: number; to: number }[] {
  return blocksOnly
    .parse(text, {})
    .flatMap(({ type, level, map }) => (level === 0 && map ? [{ type, from: map[0], to: map[1] }] : []))
}

function nodesOf(tokens: readonly Token[]): MarkdownNode[] {
  const root: MarkdownNode[] = []
  const open = [root]
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop()
      continue
    }
    const children = token.type === "inline" ? nodesOf(token.children ?? []) : []
    open.at(-1)?.push({ type: token.type.replace(/_open$/, ""), token, children })
    if (token.nesting === 1) open.push(children)
  }
  return root
}

/** Turns URLs in a text into links, except those inside a link. */
function withLinks(tokens: readonly Token[], Made: typeof Token): Token[] {
  const found: Token[] = []
  let links = 0
  for (const token of tokens) {
    if (token.type === "link_open") links++
    if (token.type === "link_close") links--
    if (token.type !== "text" || links > 0) found.push(token)
    else {
      let at = 0
      for (const { 0: match, index } of token.content.matchAll(ADDRESS)) {
        const isOver = match.includes("(") ? PUNCTUATION : PUNCTUATION_OR_PARENTHESIS
        const address = trimEndWhere(match, (char) => isOver.has(char))
        found.push(textToken(token.content.slice(at, index), Made))
        found.push(Object.assign(new Made("link_open", "a", 1), { attrs: [["href", address]] }))
        found.push(textToken(address, Made), new Made("link_close", "a", -1))
        at = index + address.length
      }
      found.push(textToken(token.content.slice(at), Made))
    }
  }
  return found
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`[\]{}|\\^]+/gi
const PUNCTUATION = new Set(".,;:!?*_~")
const PUNCTUATION_OR_PARENTHESIS = new Set([...PUNCTUATION, ")"])

function textToken(content: string, Made: typeof Token): Token {
  return Object.assign(new Made("text", "", 0), { content })
}
