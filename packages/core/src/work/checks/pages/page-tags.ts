import { type Fault, faultAt, lineAt } from "../facts/finding.ts"

/** Elements that need a closing tag. */
const LASTING =
  /<(\/?)(a|article|aside|body|button|details|dialog|div|dl|em|fieldset|figure|footer|form|h[1-6]|header|html|label|main|nav|ol|section|select|span|strong|summary|svg|table|ul)(?![\w-])((?:"[^"]*"|'[^']*'|[^"'<>])*)>/gi
const NO_ELEMENTS = /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi
/** Elements whose tags may be omitted. */
const MAY_STAY_OPEN = new Set(["html", "body"])
/** Template syntax. A file that contains it isn't a finished page. */
const TEMPLATE = /\{\{|\{%|<%|<\?|\$\{|\{#/

interface Tag {
  name: string
  index: number
}

/** Finds the first unmatched tag in a page. If the page is truncated, the fault says so. */
export function checkPageTags(text: string): Fault[] {
  if (TEMPLATE.test(text)) return []
  const open: Tag[] = []
  for (const { 1: slash, 2: written = "", 3: rest = "", index } of withoutText(text).matchAll(LASTING)) {
    const tag = { name: written.toLowerCase(), index }
    if (rest.endsWith("/") && slash === "") continue
    if (slash === "") {
      open.push(tag)
      continue
    }
    const fault = close(open, tag, text)
    if (fault) return [fault]
  }
  const last = open.findLast(({ name }) => !MAY_STAY_OPEN.has(name))
  if (!last) return []
  const isCut = /<html\b/i.test(text) && !/<\/(?:body|html)\s*>/i.test(text)
  return [at(text, last, `"<${last.name}>" is never closed${isCut ? ": the page is cut off" : ""}.`)]
}

/** Removes from `open` the element that a tag closes, or returns a fault if the tag doesn't match. */
function close(open: Tag[], tag: Tag, text: string): Fault | undefined {
  const last = open.at(-1)
  if (last?.name === tag.name) {
    open.pop()
    return undefined
  }
  if (!open.some(({ name }) => name === tag.name)) {
    return MAY_STAY_OPEN.has(tag.name) ? undefined : at(text, tag, `"</${tag.name}>" closes nothing.`)
  }
  while (open.at(-1)?.name !== tag.name) {
    const inner = open.pop()
    if (inner && !MAY_STAY_OPEN.has(inner.name)) {
      const line = lineAt(text, tag.index)
      return at(text, inner, `"<${inner.name}>" is still open at "</${tag.name}>" in line ${line}.`)
    }
  }
  open.pop()
  return undefined
}

function at(text: string, { index }: Tag, message: string): Fault {
  return faultAt(lineAt(text, index), "syntax", message)
}

/**
 * Blanks out comments, scripts and other elements that contain no markup. Keeps line breaks, so line numbers stay the
 * same.
 */
function withoutText(text: string): string {
  return text.replaceAll(NO_ELEMENTS, (found) => found.replaceAll(/[^\n]/g, " "))
}
