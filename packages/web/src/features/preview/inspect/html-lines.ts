import { htmlLanguage } from "@codemirror/lang-html"
import type { PathStep, PickedElement } from "./answers.ts"

/**
 * Contains the offset of a start tag in the file. Being the first attribute, it wins over one in the file. Also the
 * beginning of disabled attributes.
 */
const MARK = "data-switchyard-offset"

/** Attributes that previews rewrite, or that scripts usually change. */
const CHANGED = /^(?:src|href|action|poster|srcset|style|crossorigin|aria-.*)$/

/**
 * Returns the line on which an HTML file contains an element. Undefined if the tags on the way to it, its attributes or
 * its text differ, because a script may have added the element.
 */
export function lineInHtml(html: string, { path, attributes, text }: PickedElement): number | undefined {
  const element = elementAt(parse(withOffsets(html)), path)
  if (!element) return undefined
  const own = [...element.attributes].filter(({ name }) => !name.startsWith(MARK) && !CHANGED.test(name))
  if (!own.every(({ name, value }) => attributes.get(name)?.trim() === value.slice(0, 500).trim())) return undefined
  if ((attributes.get("id") ?? "") !== element.id) return undefined
  if (element.id === "" && !isSameText(element.textContent ?? "", text)) return undefined
  const offset = element.getAttribute(MARK)
  return offset === null ? undefined : html.slice(0, Number(offset)).split("\n").length
}

/** Parses the page without running its scripts or loading anything. */
function parse(html: string): Document {
  return new DOMParser().parseFromString(html, "text/html")
}

/**
 * Adds the offset of each start tag in the file to that tag, and disables attributes with scripts and styles. They have
 * no effect, but the browser would report that the studio's policy forbids them.
 */
function withOffsets(html: string): string {
  let marked = ""
  let at = 0
  htmlLanguage.parser.parse(html).iterate({
    enter({ name, from, to, node }) {
      const isTag = name === "TagName" && /^(?:OpenTag|SelfClosingTag)$/.test(node.parent?.name ?? "")
      const isDisabled = name === "AttributeName" && /^(?:on|style)/i.test(html.slice(from, to))
      if (!isTag && !isDisabled) return
      marked += isTag ? `${html.slice(at, to)} ${MARK}="${from}"` : `${html.slice(at, from)}${MARK}-`
      at = isTag ? to : from
    },
  })
  return marked + html.slice(at)
}

function elementAt(page: Document, [root, ...steps]: readonly PathStep[]): Element | undefined {
  let element: Element | undefined = page.documentElement
  if (root?.tag !== element.localName) return undefined
  for (const { tag, index } of steps) {
    element = element.children[index]
    if (element?.localName !== tag) return undefined
  }
  return element
}

/** Compares a file's text with the shown text, whose white space and case styles may change. */
function isSameText(inFile: string, shown: string): boolean {
  const bare = (text: string) => text.replaceAll(/\s+/g, "").toLowerCase()
  return shown.endsWith("…") ? bare(inFile).startsWith(bare(shown.slice(0, -1))) : bare(inFile) === bare(shown)
}
