import type { Node, Tree } from "web-tree-sitter"
import type { JavaScriptModule } from "./javascript-module.ts"

/** A file that another one names by its address. */
export interface Link {
  url: string
  line: number
  /** Whether a page runs it as a script that is no module. */
  isClassicScript?: boolean
}

/** The names in an HTML or CSS file. */
export interface Markup {
  language: "markup"
  links: Link[]
  /** The scripts that stand in a page itself. */
  scripts: { text: string; line: number; isModule: boolean }[]
  /** The parts that these take from others, once they are read. */
  modules: JavaScriptModule[]
  /** The functions that attributes such as `onclick` call first. */
  handlers: { name: string; line: number }[]
}

const LINKING: Record<string, string> = {
  link: "href",
  a: "href",
  img: "src",
  script: "src",
  source: "src",
  iframe: "src",
}

export function readHtml({ rootNode }: Tree, text: string): Markup {
  const markup: Markup = { language: "markup", links: [], scripts: [], modules: [], handlers: [] }
  // Where it only becomes HTML, or says that addresses begin elsewhere, they can't be followed.
  if (/\{\{|\{%|<%|<\?|<base\b|importmap/i.test(text)) return markup
  for (const tag of rootNode.descendantsOfType(["start_tag", "self_closing_tag"])) {
    const attributes = attributesOf(tag)
    const name = tag.namedChild(0)?.text.toLowerCase() ?? ""
    const url = attributes.get(Object.hasOwn(LINKING, name) ? (LINKING[name] ?? "") : "")
    markup.handlers.push(...handlersIn(attributes).map((name) => ({ name, line: tag.startPosition.row + 1 })))
    const script = name === "script" && tag.nextNamedSibling?.type === "raw_text" ? tag.nextNamedSibling : undefined
    const type = attributes.get("type") ?? "text/javascript"
    if (url !== undefined && isFile(name, attributes)) {
      const isClassicScript = name === "script" && type === "text/javascript"
      markup.links.push({ url, line: tag.startPosition.row + 1, isClassicScript })
    }
    if (script && /^(?:text\/javascript|module)$/.test(type)) {
      markup.scripts.push({ text: script.text, line: script.startPosition.row + 1, isModule: type === "module" })
    }
  }
  return markup
}

/** Names that a browser has by itself. */
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

export function readCss({ rootNode }: Tree): Markup {
  const links = rootNode.descendantsOfType("call_expression").flatMap((call) => {
    const [, url] = /^url\(\s*["']?([^"'()\s]+)["']?\s*\)$/i.exec(call.text) ?? []
    return url === undefined ? [] : [{ url, line: call.startPosition.row + 1 }]
  })
  const imports = rootNode.namedChildren.flatMap((node) => {
    const value = node.type === "import_statement" ? node.namedChild(0) : null
    return value?.type === "string_value" ? [{ url: value.text.slice(1, -1), line: node.startPosition.row + 1 }] : []
  })
  return { language: "markup", links: [...links, ...imports], scripts: [], modules: [], handlers: [] }
}
