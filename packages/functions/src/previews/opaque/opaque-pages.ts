import type { FoundPreview } from "../previews.ts"
import { REPORTER_PATH, reporterCode, withScripts } from "../reporter.ts"
import { editPage, importMap } from "./edit-page.ts"
import { editStyles } from "./edit-styles.ts"
import { standInCode } from "./stand-ins.ts"

/** Edits a page so that it works without an origin, below its host's root. Errors keep their line numbers. */
export function opaquePage(page: Buffer, { address }: FoundPreview): Buffer<ArrayBuffer> {
  const root = new URL(address).pathname
  const { html, hasImportMap } = editPage(page.toString("latin1"), root)
  const map = hasImportMap ? "" : `<script type="importmap">${JSON.stringify(importMap(root))}</script>`
  const first = `<script src="${root}${REPORTER_PATH.slice(1)}" crossorigin></script>`
  return withScripts(Buffer.from(html, "latin1"), first + map)
}

/** Edits a stylesheet so that it works below its host's root. */
export function opaqueStyles(css: Buffer, { address }: FoundPreview): Buffer<ArrayBuffer> {
  return Buffer.from(editStyles(css.toString("latin1"), new URL(address).pathname), "latin1")
}

/** Returns the script that runs before all others in a page without an origin. */
export function opaqueReporter(found: FoundPreview): string {
  return standInCode(found.address) + reporterCode(found, true)
}
