import { Parser } from "htmlparser2"

/** Start or end of an element, or text. The start of a code element may include its language. */
export type PagePart = { start: string; language: string } | { end: string } | { text: string }

/** A page's HTML, reduced to its content. */
export interface PlainHtml {
  title: string
  /** Parts of the body, well nested: each start has a matching end. */
  body: PagePart[]
}

const LEFT_OUT = new Set([
  ...["head", "script", "style", "noscript", "template", "iframe", "svg", "math", "object"],
  ...["nav", "footer", "aside", "form", "button", "select", "textarea", "title", "img"],
])

/** Elements that are replaced by their text. Links are among them, because a link is useless without its URL. */
const UNWRAPPED = new Set(["a", "html", "body"])

/** Elements that contain a page's main part, in order of preference. */
const MAIN_PARTS = ["main", "article"]

/** Maximum depth of elements to keep. Deeper elements are removed, but their text is kept. */
const MAX_DEPTH = 100
/**
 * Depth at which parsing stops. The parser's time per element grows with depth, and real pages aren't nested as deeply.
 */
const READ_DEPTH = 500
const CHUNK_CHARS = 16_384

/** Parses HTML in linear time, even if the HTML is hostile. */
export function plainHtml(html: string): PlainHtml {
  let title = ""
  const body: PagePart[] = []
  let isOver = false
  const open: string[] = []
  const mainParts = new Map(MAIN_PARTS.map((name) => [name, { body: [] as PagePart[], from: 0, depth: 0 }]))
  /** Depth of the outermost element being removed. */
  let leftOut: number | undefined
  const isKept = (name: string) =>
    leftOut === undefined && open.length <= MAX_DEPTH && !UNWRAPPED.has(name) && /^[a-z][a-z0-9-]*$/.test(name)
  const parser = new Parser({
    onopentag(name, attributes) {
      open.push(name)
      isOver ||= open.length > READ_DEPTH
      if (leftOut === undefined && LEFT_OUT.has(name)) leftOut = open.length
      if (!isKept(name)) return
      const part = mainParts.get(name)
      if (part?.depth === 0) Object.assign(part, { from: body.length, depth: open.length })
      const [, language = ""] = (name === "code" && /\blanguage-([\w+-]{1,40})/.exec(attributes.class ?? "")) || []
      body.push({ start: name, language })
    },
    ontext(text) {
      if (open.at(-1) === "title" && !open.includes("svg")) title += text
      if (leftOut === undefined) body.push({ text })
    },
    onclosetag(name) {
      // If a page is cut off in the middle of a tag, the element of that tag was never opened.
      if (open.at(-1) !== name) return
      if (isKept(name)) {
        body.push({ end: name })
        const part = mainParts.get(name)
        if (part?.depth === open.length) {
          for (let at = part.from; at < body.length; at++) part.body.push(body[at] as PagePart)
          part.depth = 0
        }
      }
      if (leftOut === open.length) leftOut = undefined
      open.pop()
    },
  })
  for (let at = 0; at < html.length && !isOver; at += CHUNK_CHARS) parser.write(html.slice(at, at + CHUNK_CHARS))
  parser.end()
  const main = MAIN_PARTS.map((name) => mainParts.get(name)?.body).find((parts) => parts && parts.length > 0)
  return { title, body: main ?? body }
}
