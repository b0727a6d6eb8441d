import { type Fault, faultAt, lineAt } from "../facts/finding.ts"

/** Matches the start of a comment or of an element that contains only text. */
const OPENING = /<!--|<(script|style|textarea|title)\b[^<>]*>/gi
/** Matches the start of an unfinished tag at the end of the text. */
const CUT_TAG = /<\/?[a-z][\w-]*(?:\s[^<>]*)?$/i

/** Reports a page that ends within a tag, comment or text element. Browsers would drop the rest or treat it as text. */
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
  return [faultAt(lineAt(text, end + cut.index), "syntax", "the tag that begins here has no end: the page is cut off.")]
}

function openingAfter(text: string, index: number): RegExpExecArray | null {
  const opening = new RegExp(OPENING)
  opening.lastIndex = index
  return opening.exec(text)
}

/** Returns the index after the end of an element or comment, or 0 if it isn't closed. */
function closingAfter(small: string, name: string | undefined, from: number): number {
  const closing = name ? `</${name.toLowerCase()}` : "-->"
  // A comment's end may overlap with its start, as in `<!-->`.
  const found = small.indexOf(closing, name ? from : from - 2)
  return found < 0 ? 0 : found + closing.length
}
