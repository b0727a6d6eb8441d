import { createStorage } from "./in-page/create-storage.ts"
import { type ReporterSettings, reportToStudio } from "./in-page/report-to-studio.ts"
import type { FoundPreview } from "./previews.ts"

/** The only path in a preview that isn't a file: workspace paths never contain two slashes. */
export const REPORTER_PATH = "/-//reporter.js"

/** Returns the script that reports a page's errors to the studio framing it. */
export function reporterCode({ studioOrigins, grant, address }: FoundPreview, opaque: boolean): string {
  const { external } = grant
  const settings: ReporterSettings = { studioOrigins, external, root: new URL(address).pathname, opaque }
  return `(${reportToStudio})(${JSON.stringify(settings)},${createStorage})`
}

/** Inserts the reporter script before all others. */
export function withReporter(html: Buffer): Buffer<ArrayBuffer> {
  return withScripts(html, `<script src="${REPORTER_PATH}"></script>`)
}

/**
 * Inserts elements before all others in a page: after the doctype and any comments before the doctype. Doesn't add a
 * line, so that errors keep their line numbers. Browsers move the elements into the head, even if the page has none.
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
