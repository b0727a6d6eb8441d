import type { FetchedPage } from "./fetch-page.ts"

/** A page as a model reads it. */
export interface PageText {
  title: string
  text: string
}

/** More of a page than this is not looked at: nothing of it would be shown. */
const MAX_HTML_CHARS = 1_000_000
const MAX_TEXT_CHARS = 16_000
const MAX_TITLE_CHARS = 200

/** The text of a page: what it says as Markdown, where it is HTML, without what belongs to its site. */
export async function pageText({ url, mediaType, text }: FetchedPage): Promise<PageText> {
  const { hostname, pathname } = new URL(url)
  const isHtml = mediaType === "text/html" || mediaType === "application/xhtml+xml"
  if (!isHtml) return { title: `${hostname}${pathname}`, text: cut(text, MAX_TEXT_CHARS) }
  const html = text.slice(0, MAX_HTML_CHARS)
  const markdown = await toMarkdown(mainPart(html))
  return { title: titleOf(html) || hostname, text: cut(markdown, MAX_TEXT_CHARS) }
}

function titleOf(html: string): string {
  const begin = html.toLowerCase().indexOf("<title")
  const from = html.indexOf(">", begin) + 1
  const to = html.indexOf("<", from)
  if (begin < 0 || from === 0 || to < 0) return ""
  const title = decoded(html.slice(from, Math.min(to, from + 2 * MAX_TITLE_CHARS)))
  return cut(title.replace(/\s+/g, " ").trim(), MAX_TITLE_CHARS)
}

/** The part that a page calls its main one; all of it where it names none. */
function mainPart(html: string): string {
  for (const element of ["main", "article"]) {
    const begin = html.search(new RegExp(`<${element}[\\s>]`, "i"))
    const end = html.toLowerCase().lastIndexOf(`</${element}>`)
    if (begin >= 0 && end > begin) return html.slice(begin, end)
  }
  return html
}

const LEFT_OUT = [
  "script",
  "style",
  "noscript",
  "template",
  "nav",
  "footer",
  "aside",
  "form",
  "iframe",
  "button",
  "img",
  "title",
]

async function toMarkdown(html: string): Promise<string> {
  // Loaded with the first page: a worker needn't know HTML to start.
  const { default: TurndownService } = await import("turndown")
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  turndown.remove([...LEFT_OUT, "head"] as (keyof HTMLElementTagNameMap)[])
  turndown.addRule("link", { filter: "a", replacement: (content) => content })
  return turndown.turndown(html)
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " }

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? "")
}

function cut(text: string, chars: number): string {
  return text.slice(0, chars).toWellFormed()
}
