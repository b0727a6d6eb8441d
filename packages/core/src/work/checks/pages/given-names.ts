import { type ElementNames, fits, type GivenNames, readSelector, wordsOf } from "../facts/element-names.ts"
import { extensionOf } from "../facts/file-kinds.ts"
import type { JavaScriptModule } from "../facts/javascript-module.ts"
import { nearOf } from "../facts/near.ts"
import { isTestFile } from "../facts/paths.ts"
import { type Project, scriptsIn } from "../facts/project.ts"

/** Names that a project's elements may have, and names that its stylesheets and lookups use. */
export interface ProjectNames {
  isId(name: string): boolean
  isClass(name: string): boolean
  /**
   * Returns true if a class has an effect, because a stylesheet or lookup uses it, or because code reads it from an
   * element.
   */
  isMeant(name: string): boolean
}

const MARKUP = new Set(
  `html htm js mjs cjs jsx ts tsx vue svelte astro mdx php py rb go java cs kt rs dart elm ex scala swift coffee ejs hbs handlebars
  mustache pug jade haml slim njk nunjucks erb eex heex twig liquid jinja j2 cshtml razor jsp ftl eta dust tpl tmpl`.split(
    /\s+/,
  ),
)
/** Matches element lookups in unparsed languages, and HTML attributes that refer to other elements. */
const USES =
  /(?:getElementById|querySelector(?:All)?)(?:<[^<>()]*>)?\(\s*["'`]#?[^"'`\n]{0,200}["'`]|\s(?:for|list|href|aria-(?:labelledby|describedby|controls|owns))\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+)/g
/** Template syntax. A file that contains it isn't a finished page. */
const TEMPLATE = /\{\{|\{%|<%|<\?|\{#/
const ATTRIBUTE = /\s(id|name|class)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/gi
const CLASS_SELECTOR = /\.(-?[A-Za-z_][\w-]*)/g

/** Collects a project's names. */
export function namesOf(project: Project): ProjectNames {
  const ids = new Set<string>()
  const classes = new Set<string>()
  const meant = new Set<string>()
  const patterns = new Set<string>()
  const raw: string[] = []
  const give = (names: GivenNames) => {
    for (const id of names.ids) ids.add(id)
    for (const name of names.classes) classes.add(name)
    for (const pattern of names.patterns) patterns.add(pattern)
  }
  const helpers = helpersOf(project)
  for (const [path, text] of project.files) {
    if (text === null || (isTestFile(path) && !/\.html?$/.test(path))) continue
    const facts = project.facts.get(path)
    const extension = extensionOf(path)
    for (const { elements, names, imports } of scriptsIn(facts)) {
      give(elements.given)
      for (const word of elements.selectors) meant.add(word)
      for (const { name } of elements.changed) classes.add(name)
      for (const call of elements.calls) {
        if (isHelper(call.callee, { elements, names, imports }, helpers) === undefined) give(call.names)
        else for (const word of wordsOf(call.argument ?? "")) meant.add(word)
      }
    }
    if (/^(?:css|scss|less|sass)$/.test(extension) || /<style\b/i.test(text)) {
      for (const [, name = ""] of text.matchAll(CLASS_SELECTOR)) meant.add(name)
      if (/\[class\b/.test(text)) raw.push(text)
    }
    if (/^html?$/.test(extension) && !TEMPLATE.test(text)) {
      for (const [, attribute = "", ...values] of text.matchAll(ATTRIBUTE)) {
        for (const word of values.join("").split(/\s+/)) (attribute.toLowerCase() === "class" ? classes : ids).add(word)
      }
    } else if (MARKUP.has(extension) && facts?.language !== "javascript") raw.push(text.replaceAll(USES, ""))
  }
  const rest = raw.join("\n")
  const words = new Set(wordsOf(rest))
  const isPut = (name: string) =>
    [...patterns].some((one) => fits(one, name) && (/\w/.test(one) || !isSlip(name))) || isComposed(rest, name)
  // A pattern without literal letters matches any name, so it doesn't explain a name that is nearly an ID or a class of
  // the page. That name is probably misspelled.
  const isSlip = (name: string) => !/\d/.test(name) && nearOf(name, [...ids, ...classes]) !== undefined
  return {
    isId: (name) => ids.has(name) || words.has(name) || isPut(name),
    isClass: (name) => classes.has(name) || words.has(name) || isPut(name),
    isMeant: (name) => meant.has(name) || words.has(name) || isPut(name) || isRead(project, name),
  }
}

/**
 * Returns true if a page gives the class to an element, or if a script mentions the class other than to add or remove
 * it.
 */
function isRead({ files, facts }: Project, name: string): boolean {
  const word = new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`)
  return [...files].some(([path, text]) => {
    const language = facts.get(path)?.language
    if (text === null || (language !== "javascript" && language !== "markup") || extensionOf(path) === "css")
      return false
    return word.test(text.replaceAll(CHANGE, ""))
  })
}
const CHANGE = /classList\.(?:add|remove|toggle)\(\s*["'`][^"'`\n]{0,200}["'`]/g

/** Returns the functions in any script that look up their first argument. */
export function helpersOf({ facts }: Project): ElementNames["helpers"] {
  const scripts = [...facts.values()].flatMap(scriptsIn)
  return new Map(scripts.flatMap(({ elements }) => [...elements.helpers]))
}

type Caller = Pick<JavaScriptModule, "elements" | "names" | "imports">

/** Returns the kind of lookup that a function does. Undefined if the function doesn't look up elements. */
function isHelper(
  callee: string,
  { elements, names, imports }: Caller,
  helpers: ElementNames["helpers"],
): "id" | "selector" | undefined {
  const own = elements.helpers.get(callee)
  const isOther = names.bound.has(callee) && !imports.some((one) => one.names.includes(callee))
  return own ?? (isOther ? undefined : helpers.get(callee))
}

/** Returns all IDs and classes that a script looks up, directly or through helper functions. */
export function lookUpsOf(module: Caller, helpers: ElementNames["helpers"]): Pick<ElementNames, "ids" | "lookedUp"> {
  const ids = [...module.elements.ids]
  const lookedUp = [...module.elements.lookedUp]
  for (const { callee, argument, line } of module.elements.calls) {
    const kind = isHelper(callee, module, helpers)
    if (argument === undefined || kind === undefined) continue
    if (kind === "id") ids.push({ name: argument, line })
    else readSelector(argument, line, { ids, lookedUp })
  }
  return { ids, lookedUp }
}

/** Returns true if text in an unparsed language may compose a name, such as `row-` plus a number. */
function isComposed(rest: string, name: string): boolean {
  return [...name.matchAll(/[-_:.]|\d+|[A-Z]/g)].some(({ 0: part, index }) => {
    const start = name.slice(0, index)
    if (start === "") return false
    const starts = /^[-_:.]/.test(part) ? [start + part, `${start}"`, `${start}'`, `${start}\${`] : [start]
    return starts.some((one) => ['"', "'", "`", " "].some((quote) => rest.includes(`${quote}${one}`)))
  })
}
