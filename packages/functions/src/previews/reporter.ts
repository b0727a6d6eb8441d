import { createInspector } from "./in-page/create-inspector.ts"
import { createStorage } from "./in-page/create-storage.ts"
import { drawElement } from "./in-page/draw-element.ts"
import { type ReporterSettings, reportToStudio } from "./in-page/report-to-studio.ts"
import type { FoundPreview } from "./previews.ts"

/** Paths in a preview that can't be files, because workspace paths never contain two consecutive slashes. */
export const REPORTER_PATH = "/-//reporter.js"
export const DRAWING_PATH = "/-//draw-element.js"

/** Returns the module that draws an element. A page loads it only when a picture of an element is needed. */
export function drawingCode(): string {
  return `export default ${drawElement}`
}

/** Returns the script that reports a page's errors to the studio framing it. */
export function reporterCode({ studioOrigins, grant, address }: FoundPreview, opaque: boolean): string {
  const { external } = grant
  const settings: ReporterSettings = { studioOrigins, external, root: new URL(address).pathname, opaque }
  // Use a string, because build tools would rewrite an import. The path is relative to this script.
  const loadDrawing = '()=>import("./draw-element.js")'
  const parts = `{createStorage:${createStorage},createInspector:${createInspector},loadDrawing:${loadDrawing}}`
  return `(${reportToStudio})(${JSON.stringify(settings)},${parts})`
}

/** Inserts the reporter script before all others. */
export function withReporter(html: Buffer): Buffer<ArrayBuffer> {
  return withScripts(html, `<script src="${REPORTER_PATH}"></script>`)
}

/**
 * Inserts elements at the start of a page, after the doctype and any comments before it. Doesn't add a line, because
 * line numbers in errors must stay correct. Browsers move the elements into the head, even if the page has none.
 */
export function withScripts(html: Buffer, scripts: string): Buffer<ArrayBuffer> {
  const at = afterDoctype(html.toString("latin1"))
  return Buffer.concat([html.subarray(0, at), Buffer.from(scripts), html.subarray(at)])
}

/** Returns the offset after leading whitespace, comments and a doctype. */
function afterDoctype(html: string): number {
  let at = html.startsWith("\u00ef\u00bb\u00bf") ? 3 : 0
  for (;;) {
    while (/\s/.test(html.charAt(at))) at++
    if (html.startsWith("<!--", at)) {
      const end = html.indexOf("-->", at)
      if (end < 0) return at
      at = end + "-->".length
      continue
    }
    const isDoctype = /^<!doctype$/i.test(html.slice(at, at + "<!doctype".length))
    const end = isDoctype ? html.indexOf(">", at) : -1
    return end < 0 ? at : end + 1
  }
}
