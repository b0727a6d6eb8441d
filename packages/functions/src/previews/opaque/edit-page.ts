import { Tokenizer, type TokenizerCallbacks } from "htmlparser2"
import { editStyles } from "./edit-styles.ts"

/** A part of a text, and its replacement. */
interface Edit {
  from: number
  to: number
  text: string
}

interface Attribute {
  name: string
  from: number
  to: number
}

/** Attributes whose value is a URL. */
const ADDRESSES = new Set(["src", "href", "xlink:href", "action", "formaction", "poster"])
/** Attributes that contain several URLs, each followed by a size. */
const ADDRESS_LISTS = new Set(["srcset", "imagesrcset"])
/**
 * Elements whose files count as cross-origin if the page has no origin. Without `crossorigin` on the element, the page
 * can't read these files or see errors in them.
 */
const FETCHED = new Set(["script", "link", "img", "audio", "video"])

/**
 * Edits a page so that it works without an origin and below its host's root. Root-relative paths become paths below
 * `root`, in modules too. The page's own files are requested with CORS, because the page couldn't read them otherwise.
 * Line numbers don't change, and an existing import map is extended. Takes and returns Latin-1, which preserves the
 * bytes of any encoding.
 */
export function editPage(html: string, root: string): { html: string; hasImportMap: boolean } {
  const { edits, hasImportMap } = findEdits(html, root)
  let at = 0
  const parts: string[] = []
  for (const { from, to, text } of edits) {
    parts.push(html.slice(at, from), text)
    at = to
  }
  return { html: parts.join("") + html.slice(at), hasImportMap }
}

/** Returns an import map that redirects root-relative module paths to paths below `root`. */
export function importMap(root: string): { imports: Record<string, string> } {
  return { imports: { "/": root, [root]: root } }
}

function findEdits(html: string, root: string): { edits: Edit[]; hasImportMap: boolean } {
  const edits: Edit[] = []
  let hasImportMap = false
  let tag = ""
  let tagEnd = 0
  let attributes: Attribute[] = []
  let isImportMap = false
  const textOf = ({ from, to }: Attribute) => html.slice(from, to)
  const replace = (from: number, to: number, text: string) => {
    if (html.slice(from, to) !== text) edits.push({ from, to, text })
  }

  function endTag(): void {
    const named = new Map(attributes.map((attribute) => [attribute.name, attribute]))
    const address = [named.get("src"), named.get("href")].find((attribute) => attribute !== undefined)
    const own = address !== undefined && isOwn(textOf(address))
    if (own && FETCHED.has(tag) && !named.has("crossorigin")) {
      edits.push({ from: tagEnd, to: tagEnd, text: " crossorigin" })
    }
    for (const attribute of attributes) {
      const { name, from, to } = attribute
      if (ADDRESSES.has(name)) replace(from, to, rooted(textOf(attribute), root))
      if (ADDRESS_LISTS.has(name)) replace(from, to, textOf(attribute).replace(/(^|,)(\s*)\/(?!\/)/g, `$1$2${root}`))
      if (name === "style") replace(from, to, editStyles(textOf(attribute), root))
    }
    const type = named.get("type")
    isImportMap = tag === "script" && type !== undefined && textOf(type).trim().toLowerCase() === "importmap"
  }

  const callbacks: TokenizerCallbacks = {
    ...IGNORED,
    onopentagname(from, to) {
      tag = html.slice(from, to).toLowerCase()
      tagEnd = to
      attributes = []
    },
    onattribname(from, to) {
      attributes.push({ name: html.slice(from, to).toLowerCase(), from: to, to })
    },
    onattribdata(from, to) {
      const attribute = attributes.at(-1)
      if (!attribute) return
      if (attribute.from === attribute.to) attribute.from = from
      attribute.to = to
    },
    onopentagend: endTag,
    onselfclosingtag: endTag,
    ontext(from, to) {
      if (tag === "style") replace(from, to, editStyles(html.slice(from, to), root))
      if (!isImportMap) return
      hasImportMap = true
      replace(from, to, editImportMap(html.slice(from, to), root))
    },
    onclosetag() {
      tag = ""
      isImportMap = false
    },
  }
  const tokenizer = new Tokenizer({ decodeEntities: false }, callbacks)
  tokenizer.write(html)
  tokenizer.end()
  return { edits, hasImportMap }
}

const nothing = () => {}
const IGNORED: TokenizerCallbacks = {
  onattribdata: nothing,
  onattribentity: nothing,
  onattribend: nothing,
  onattribname: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onopentagname: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
}

/** True if a URL refers to one of the page's own files. */
function isOwn(address: string): boolean {
  return !/^\s*(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(address) && !address.startsWith("#")
}

/** Moves a root-relative URL below another root. */
function rooted(address: string, root: string): string {
  return address.replace(/^(\s*)\/(?!\/)/, `$1${root}`)
}

/**
 * Adds the entries of `importMap` to a page's own import map without changing the number of lines. Returns the text
 * unchanged if it isn't JSON.
 */
function editImportMap(text: string, root: string): string {
  try {
    const map = JSON.parse(Buffer.from(text, "latin1").toString())
    const imports = Object.entries<unknown>(map.imports ?? {}).map(([name, address]) => {
      return [name, typeof address === "string" ? rooted(address, root) : address]
    })
    const edited = JSON.stringify({ ...map, imports: { ...importMap(root).imports, ...Object.fromEntries(imports) } })
    const lines = text.split("\n").length - 1
    return Buffer.from(edited.replaceAll("<", "\\u003c")).toString("latin1") + "\n".repeat(lines)
  } catch {
    return text
  }
}
