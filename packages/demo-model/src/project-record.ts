import { type ColourName, colourNames } from "./colours.ts"
import { parseChange } from "./element-changes.ts"
import { locales } from "./locales.ts"
import { fieldTypes, kinds, languages, type Project } from "./project.ts"
import { cleanName, itemIn } from "./project-name.ts"
import { recipes, type TopicId } from "./topics/registry.ts"

/** Start of the line with the record. The chat must not edit this line. */
export const RECORD_START = "<!-- demo: "

/** Returns the project as an invisible comment for the README. No text in it can end the comment. */
export function recordOf(project: Project): string {
  const { topic, kind, language, name, nouns, subject, fields, items, accent, background, locale, elements } = project
  const inOrder = { topic, kind, language, name, nouns, subject, fields, items, accent, background, locale, elements }
  const json = JSON.stringify(inOrder).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e")
  return `${RECORD_START}${json} -->`
}

/** Returns the project recorded in a README. Validates it, because anyone may have edited the text. */
export function readRecord(readme: string): Project | undefined {
  const start = readme.lastIndexOf(RECORD_START)
  const end = readme.indexOf(" -->", start)
  return start < 0 || end < 0 ? undefined : checked(parsed(readme.slice(start + RECORD_START.length, end)))
}

function parsed(text: string): Partial<Record<keyof Project, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

function checked(found: Partial<Record<keyof Project, unknown>>): Project | undefined {
  const topic = Object.keys(recipes).find((known) => known === found.topic) as TopicId | undefined
  const kind = kinds.find((known) => known === found.kind)
  const language = languages.find((known) => known === found.language)
  const locale = locales.find((known) => known === found.locale)
  const fields = listed(found.fields).flatMap(fieldIn)
  const items = listed(found.items).flatMap((item) => itemIn(String(item)) ?? [])
  const [name] = textIn(found.name)
  if (!topic || !kind || !language || !locale || !name || name !== cleanName(name)) return undefined
  return {
    ...{ topic, kind, language, name, locale, fields, items },
    ...optional("nouns", nounsIn(found.nouns)),
    ...optional("subject", textIn(found.subject)[0]),
    ...optional("accent", colourIn(found.accent)),
    ...optional("background", colourIn(found.background)),
    ...(found.elements === undefined ? {} : { elements: listed(found.elements).flatMap(parseChange) }),
  }
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the text if it is safe everywhere in a project. */
function textIn(value: unknown): string[] {
  return typeof value === "string" && cleanName(value) !== "" ? [cleanName(value)] : []
}

function fieldIn(value: unknown): Project["fields"] {
  const { name, type } = Object(value)
  const known = fieldTypes.find((one) => one === type)
  return known && textIn(name)[0] === name ? [{ name, type: known }] : []
}

function nounsIn(value: unknown): Project["nouns"] {
  const { noun, plural } = Object(value)
  const isWord = (word: unknown) => typeof word === "string" && /^[a-z]{2,30}$/.test(word)
  return isWord(noun) && isWord(plural) ? { noun, plural } : undefined
}

function colourIn(value: unknown): ColourName | undefined {
  return colourNames.find((name) => name === value)
}

function optional<Name extends string, Value>(name: Name, value: Value | undefined) {
  return value === undefined ? {} : { [name]: value }
}
