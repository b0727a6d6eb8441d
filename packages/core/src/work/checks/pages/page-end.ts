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
  if (!cut) return []
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
