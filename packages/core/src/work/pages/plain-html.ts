import { Parser } from "htmlparser2"

/** Start or end of an element, or text. Code may have a language. */
export type PagePart = { start: string; language: string } | { end: string } | { text: string }

/** A page's HTML, reduced to its content. */
export interface PlainHtml {
  title: string
  /** Each start has its end, in order. */
  body: PagePart[]
}

const LEFT_OUT = new Set([
  ...["head", "script", "style", "noscript", "template", "iframe", "svg", "math", "object"],
  ...["nav", "footer", "aside", "form", "button", "select", "textarea", "title", "img"],
])

/** Elements replaced by their text. A link is useless without its address. */
const UNWRAPPED = new Set(["a", "html", "body"])

/** Elements that contain a page's main part, the better one first. */
const MAIN_PARTS = ["main", "article"]

/** Deeper elements are removed, but their text remains. */
const MAX_DEPTH = 100
/** Reading stops at this depth. Real pages don't nest deeper, and the parser's time per element grows with it. */
const READ_DEPTH = 500
const CHUNK_CHARS = 16_384

/** Reads hostile HTML in linear time. */
export function plainHtml(html: string): PlainHtml {
  let title = ""
  const body: PagePart[] = []
  let isOver = false
  const open: string[] = []
  const mainParts = new Map(MAIN_PARTS.map((name) => [name, { body: [] as PagePart[], from: 0, depth: 0 }]))
  /** Depth of the element being removed. */
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
      // A page may break off in the middle of a tag, whose element was never opened.
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
