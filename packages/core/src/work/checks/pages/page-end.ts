import { type Fault, faultAt, lineAt } from "../facts/finding.ts"

/** The beginning of a comment, or of an element in which everything is text up to its end tag. */
const OPENING = /<!--|<(script|style|textarea|title)\b[^<>]*>/gi
/** The beginning of a tag, up to the end of the text. */
const CUT_TAG = /<\/?[a-z][\w-]*(?:\s[^<>]*)?$/i

/** The place where a page breaks off: a browser takes all that follows for text, or drops it. */
export function checkPageEnd(text: string): Fault[] {
  const small = text.toLowerCase()
  let end = 0
  for (let open = openingAfter(text, end); open; open = openingAfter(text, end)) {
    const [start, name] = open
    end = start.endsWith("/>") ? open.index + start.length : closingAfter(small, name, open.index + start.length)
    if (end > 0) continue
    return [faultAt(lineAt(text, open.index), "syntax", `"${name ? `<${name}>` : start}" is never closed.`)]
  }
  const cut = CUT_TAG.exec(text.slice(end).trimEnd())
  if (!cut) return checkUnended(text)
  return [faultAt(lineAt(text, end + cut.index), "syntax", "the tag that begins here has no end: the page breaks off.")]
}

function openingAfter(text: string, index: number): RegExpExecArray | null {
  const opening = new RegExp(OPENING)
  opening.lastIndex = index
  return opening.exec(text)
}

/** The index after what closes an element or a comment; 0 where nothing does. */
function closingAfter(small: string, name: string | undefined, from: number): number {
  const closing = name ? `</${name.toLowerCase()}` : "-->"
  // A comment's beginning may be part of its end.
  const found = small.indexOf(closing, name ? from : from - 2)
  return found < 0 ? 0 : found + closing.length
}

/** Elements that nothing but their end tags ends. */
const LASTING =
  /<(\/?)(article|aside|body|button|div|dl|fieldset|figure|footer|form|header|html|main|nav|ol|section|select|span|table|ul)\b(?:"[^"]*"|'[^']*'|[^"'<>])*>/gi
const NO_ELEMENTS = /<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|title)\b[^<>]*>[\s\S]*?(?:<\/\1\s*>|$)/gi

/** A whole page that has neither end nor what ends before it: the answer was cut. */
function checkUnended(text: string): Fault[] {
  if (!/<html\b/i.test(text) || /<\/(?:body|html)\s*>|\{\{|\{%|<%|<\?/i.test(text)) return []
  const open: { name: string; index: number }[] = []
  const blank = text.replaceAll(NO_ELEMENTS, (found) => found.replaceAll(/[^\n]/g, " "))
  for (const { 1: slash, 2: tag = "", index } of blank.matchAll(LASTING)) {
    const name = tag.toLowerCase()
    if (slash === "") open.push({ name, index })
    else
      open.splice(
        Math.max(
          0,
          open.findLastIndex((one) => one.name === name),
        ),
      )
  }
  const last = open.filter(({ name }) => name !== "html" && name !== "body").at(-1)
  if (!last) return []
  return [faultAt(lineAt(text, last.index), "syntax", `"<${last.name}>" is never closed: the page breaks off.`)]
}
