import type { FetchedPage } from "./fetch-page.ts"

/** A page as shown to a model. */
export interface PageText {
  title: string
  text: string
}

/** Limits for reading a page. The rest of the page is ignored, because it wouldn't be shown. */
const MAX_HTML_CHARS = 1_000_000
const MAX_TEXT_CHARS = 16_000
const MAX_TITLE_CHARS = 200

/** Extracts the text of a page. HTML is converted to Markdown, without navigation and similar parts. */
export async function pageText({ url, mediaType, text }: FetchedPage): Promise<PageText> {
  const { hostname, pathname } = new URL(url)
  const isHtml = mediaType === "text/html" || mediaType === "application/xhtml+xml"
  if (!isHtml) return { title: `${hostname}${pathname}`, text: cut(text, MAX_TEXT_CHARS) }
  // Loaded lazily, because only HTML needs the parser.
  const [{ plainHtml }, { plainMarkdown }] = await Promise.all([
    import("./plain-html.ts"),
    import("./plain-markdown.ts"),
  ])
  const { title, body } = plainHtml(text.slice(0, MAX_HTML_CHARS))
  return {
    title: cut(title.replace(/\s+/g, " ").trim(), MAX_TITLE_CHARS) || hostname,
    text: cut(plainMarkdown(body, MAX_TEXT_CHARS), MAX_TEXT_CHARS),
  }
}

function cut(text: string, chars: number): string {
  return text.slice(0, chars).toWellFormed()
}
