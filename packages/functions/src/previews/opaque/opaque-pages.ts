import type { FoundPreview } from "../previews.ts"
import { REPORTER_PATH, reporterCode, withScripts } from "../reporter.ts"
import { editPage, importMap } from "./edit-page.ts"
import { editStyles } from "./edit-styles.ts"
import { standInCode } from "./stand-ins.ts"

/** Returns the function that edits files of this type on a shared host. Undefined if such files are sent unchanged. */
export function opaqueEdit(
  type: string,
  found: { address: string },
): ((file: Buffer) => Buffer<ArrayBuffer>) | undefined {
  if (type.startsWith("text/html")) return (page) => opaquePage(page, found)
  return type.startsWith("text/css") ? (css) => opaqueStyles(css, found) : undefined
}

/** Edits a page so that it works without an origin and below its host's root. Line numbers in errors don't change. */
function opaquePage(page: Buffer, { address }: { address: string }): Buffer<ArrayBuffer> {
  const root = new URL(address).pathname
  const { html, hasImportMap } = editPage(page.toString("latin1"), root)
  const map = hasImportMap ? "" : `<script type="importmap">${JSON.stringify(importMap(root))}</script>`
  const first = `<script src="${root}${REPORTER_PATH.slice(1)}" crossorigin></script>`
  return withScripts(Buffer.from(html, "latin1"), first + map)
}

/** Edits a stylesheet so that it works below its host's root. */
function opaqueStyles(css: Buffer, { address }: { address: string }): Buffer<ArrayBuffer> {
  return Buffer.from(editStyles(css.toString("latin1"), new URL(address).pathname), "latin1")
}

/** Returns the script for a published page without an origin. It runs before all other scripts. */
export function standInScript(address: string): string {
  return `Reflect.deleteProperty(Navigator.prototype, "serviceWorker");${standInCode(address)}`
}

/** Returns the script for a page without an origin. It runs before all other scripts. */
export function opaqueReporter(found: FoundPreview): string {
  return standInCode(found.address) + reporterCode(found, true)
}
