import type { Node, Tree } from "web-tree-sitter"
import type { JavaScriptModule } from "./javascript-module.ts"
import type { NameUse } from "./names.ts"

/** A reference to another file by URL. */
export interface Link {
  url: string
  line: number
  /** True if a page loads the file as a classic script rather than a module. */
  isClassicScript?: boolean
}

/** Names and links in an HTML or CSS file. */
export interface Markup {
  language: "markup"
  links: Link[]
  /** A page's inline scripts. */
  scripts: { text: string; line: number; isModule: boolean }[]
  /** A page's inline styles. */
  styles: { text: string; line: number }[]
  /** IDs of the page's elements, IDs that its elements refer to, and IDs that its links target. */
  ids: NameUse[]
  idUses: NameUse[]
  anchors: NameUse[]
  /** Custom properties used without a fallback, and animation names. */
  properties: NameUse[]
  animations: NameUse[]
  /** Parsed inline scripts. Empty until they have been read. */
  modules: JavaScriptModule[]
  /** The first function called by each attribute such as `onclick`. */
  handlers: { name: string; line: number }[]
}

const LINKING: Record<string, string[]> = {
  link: ["href"],
  a: ["href"],
  audio: ["src"],
  embed: ["src"],
  form: ["action"],
  img: ["src", "srcset"],
  script: ["src"],
  source: ["src", "srcset"],
  iframe: ["src"],
  object: ["data"],
  track: ["src"],
  video: ["src", "poster"],
}

export function readHtml({ rootNode }: Tree, text: string): Markup {
  const markup = emptyMarkup()
  // In templates, and in pages with a base URL or import map, URLs can't be resolved.
  if (/\{\{|\{%|<%|<\?|<base\b|importmap/i.test(text)) return markup
  for (const tag of rootNode.descendantsOfType(["start_tag", "self_closing_tag"])) {
    const attributes = attributesOf(tag)
    const name = tag.namedChild(0)?.text.toLowerCase() ?? ""
    const line = tag.startPosition.row + 1
    markup.handlers.push(...handlersIn(attributes).map((name) => ({ name, line })))
    const id = attributes.get("id")
    if (id) markup.ids.push({ name: id, line })
    markup.idUses.push(...idUsesIn(name, attributes).map((id) => ({ name: id, line })))
    markup.anchors.push(...anchorIn(name, attributes).map((id) => ({ name: id, line })))
    const content = tag.nextNamedSibling?.type === "raw_text" ? tag.nextNamedSibling : undefined
    const script = name === "script" ? content : undefined
    if (name === "style" && content) {
      markup.styles.push({ text: content.text, line: content.startPosition.row + 1 })
    }
    const type = attributes.get("type") ?? "text/javascript"
    if (isFile(name, attributes)) {
      const isClassicScript = name === "script" && type === "text/javascript"
      markup.links.push(...urlsIn(name, attributes).map((url) => ({ url, line, isClassicScript })))
    }
    if (script && /^(?:text\/javascript|module)$/.test(type)) {
      markup.scripts.push({ text: script.text, line: script.startPosition.row + 1, isModule: type === "module" })
    }
  }
  return markup
}

const emptyMarkup = (): Markup => ({
  language: "markup",
  links: [],
  scripts: [],
  styles: [],
  ids: [],
  idUses: [],
  anchors: [],
  properties: [],
  animations: [],
  modules: [],
  handlers: [],
})

function urlsIn(name: string, attributes: Map<string, string>): string[] {
  return (Object.hasOwn(LINKING, name) ? (LINKING[name] ?? []) : []).flatMap((attribute) => {
    const value = attributes.get(attribute)
    if (value === undefined) return []
    return attribute === "srcset" ? value.split(",").map((one) => one.trim().split(/\s/, 1)[0] ?? "") : [value]
  })
}

/** Returns the IDs of other elements that an element refers to. */
function idUsesIn(name: string, attributes: Map<string, string>): string[] {
  const lists = ["aria-labelledby", "aria-describedby", "aria-controls", "aria-owns"].map((key) => attributes.get(key))
  const single = name === "label" ? attributes.get("for") : name === "input" ? attributes.get("list") : undefined
  return [...lists, single].flatMap((ids) => ids?.split(/\s+/).filter(Boolean) ?? [])
}

/** Returns the target ID of a link within the same page. */
function anchorIn(name: string, attributes: Map<string, string>): string[] {
  const anchor = name === "a" ? /^#([A-Za-z][\w-]*)$/.exec(attributes.get("href") ?? "")?.[1] : undefined
  return anchor === undefined || anchor === "top" ? [] : [anchor]
}

/** Keywords and names defined by browsers. */
const BUILT_IN =
  /^(?:alert|confirm|prompt|print|open|close|stop|focus|blur|fetch|find|scroll\w*|set\w+|clear\w+|queueMicrotask|requestAnimationFrame|if|for|while|switch|function|return|void|typeof|new|this|event|document|window|history|location|console|navigator|Number|String|Boolean|parse\w+|eval)$/

function handlersIn(attributes: Map<string, string>): string[] {
  return [...attributes].flatMap(([attribute, value]) => {
    const [, name = ""] = /^(?:return\s+)?([A-Za-z_$][\w$]*)\s*\(/.exec(value) ?? []
    return /^on[a-z]+$/.test(attribute) && name !== "" && !BUILT_IN.test(name) ? [name.replaceAll("$", "\\$")] : []
  })
}

function isFile(name: string, attributes: Map<string, string>): boolean {
  return (
    name !== "link" || /^(?:stylesheet|icon|shortcut icon|manifest|modulepreload)$/.test(attributes.get("rel") ?? "")
  )
}

function attributesOf(tag: Node): Map<string, string> {
  const attributes = tag.namedChildren.filter(({ type }) => type === "attribute")
  return new Map(
    attributes.map((attribute) => {
      const value = attribute.descendantsOfType("attribute_value")[0]?.text ?? ""
      return [attribute.namedChild(0)?.text.toLowerCase() ?? "", value.trim()]
    }),
  )
}

export function readCss({ rootNode }: Tree, text: string): Markup {
  const links = rootNode.descendantsOfType("call_expression").flatMap((call) => {
    const [, quoted, plain] = /^url\(\s*(?:["']([^"'()]+)["']|([^"'()\s]+))\s*\)$/i.exec(call.text) ?? []
    const url = quoted ?? plain
    return url === undefined ? [] : [{ url, line: call.startPosition.row + 1 }]
  })
  const imports = rootNode.namedChildren.flatMap((node) => {
    const value = node.type === "import_statement" ? node.namedChild(0) : null
    return value?.type === "string_value" ? [{ url: value.text.slice(1, -1), line: node.startPosition.row + 1 }] : []
  })
  return { ...emptyMarkup(), links: [...links, ...imports], ...styleNamesIn(text) }
}

const VARIABLE = /\bvar\(\s*(--[\w-]+)\s*\)/
const ANIMATION = /(?:^|[\s;{])(?:-webkit-)?animation(?:-name)?\s*:([^;{}]*)/
/** Words in an `animation` value that aren't the animation's name: timing keywords and global values. */
const ANIMATION_WORD =
  /^(?:none|inherit|initial|unset|revert|revert-layer|linear|ease|ease-in|ease-out|ease-in-out|step-start|step-end|infinite|normal|reverse|alternate|alternate-reverse|forwards|backwards|both|running|paused|auto)$/

function styleNamesIn(text: string): Pick<Markup, "properties" | "animations"> {
  const lines = text.replaceAll(/\/\*[\s\S]*?(?:\*\/|$)/g, (found) => found.replaceAll(/[^\n]/g, " ")).split("\n")
  const properties = lines.flatMap((one, index) => namesIn(one, VARIABLE, index))
  const animations = lines.flatMap((one, index) =>
    namesIn(one, ANIMATION, index).flatMap(({ name, line }) =>
      name
        .replaceAll(/\([^()]*\)/g, "(")
        .split(/[\s,]+/)
        .filter((word) => /^[A-Za-z_][\w-]*$/.test(word) && !ANIMATION_WORD.test(word))
        .map((name) => ({ name, line })),
    ),
  )
  return { properties, animations }
}

function namesIn(text: string, pattern: RegExp, index: number): NameUse[] {
  return [...text.matchAll(new RegExp(pattern, "g"))].map(([, name = ""]) => ({ name, line: index + 1 }))
}
