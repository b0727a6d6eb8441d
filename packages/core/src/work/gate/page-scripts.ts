import { Parser } from "htmlparser2"

/** Scripts of a page. */
export interface PageScripts {
  /** Scripts that the page loads. */
  loaded: { address: string; isModule: boolean }[]
  /** Code of the page's inline modules. */
  modules: string[]
  /** True if the page contains a script of any kind. */
  hasScripts: boolean
  hasImportMap: boolean
}

/** Maximum number of characters of a page to read. Later scripts rarely matter. */
const READ_CHARS = 512 * 1024
/** Maximum depth of elements to read, because the parser's time per element grows with their depth. */
const READ_DEPTH = 500
const CHUNK_CHARS = 16_384
/** Files in languages that browsers can't run. */
const SOURCE = /\.(?:[cm]?tsx?|jsx|vue|svelte)$/i
const JAVASCRIPT = /^(?:module|(?:text|application)\/(?:java|ecma)script)?$/i

/** Reads the scripts of a page. Takes linear time, even for a hostile page. */
export function pageScripts(html: string): PageScripts {
  const scripts: PageScripts = { loaded: [], modules: [], hasScripts: false, hasImportMap: false }
  let depth = 0
  let module: string[] | undefined
  const parser = new Parser({
    onopentag(name, { type = "", src }) {
      depth++
      if (name !== "script") return
      const kind = type.trim().toLowerCase()
      scripts.hasScripts = true
      scripts.hasImportMap ||= kind === "importmap"
      if (!JAVASCRIPT.test(kind)) return
      if (src !== undefined) scripts.loaded.push({ address: src.trim(), isModule: kind === "module" })
      else if (kind === "module") module = []
    },
    ontext: (text) => void module?.push(text),
    onclosetag() {
      depth--
      if (module) scripts.modules.push(module.join(""))
      module = undefined
    },
  })
  const length = Math.min(html.length, READ_CHARS)
  for (let at = 0; at < length && depth <= READ_DEPTH; at += CHUNK_CHARS) {
    parser.write(html.slice(at, Math.min(at + CHUNK_CHARS, length)))
  }
  return scripts
}

/** Returns true if a page loads a script in a language that must be compiled first. */
export function loadsSources(html: string): boolean {
  return pageScripts(html).loaded.some(({ address }) => isSource(address))
}

/** Returns true if a script's address has the extension of a language that must be compiled first. */
export function isSource(address: string): boolean {
  return SOURCE.test(address.split(/[?#]/, 1)[0] ?? "")
}
