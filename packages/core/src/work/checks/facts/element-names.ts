import type { Node, Tree } from "web-tree-sitter"
import { ancestorsOf } from "./ancestors.ts"
import type { NameUse } from "./names.ts"

/** Meaning of the argument of a lookup. */
export type LookUpKind = "id" | "selector"

/** A function call with a string as its first argument. */
export interface TextCall {
  callee: string
  /** Undefined if part of the string is computed. */
  argument: string | undefined
  line: number
  names: GivenNames
}

/** Names that a string may give to elements. */
export interface GivenNames {
  ids: string[]
  classes: string[]
  /** Names that are partly computed, see `fits`. */
  patterns: string[]
}

/** Element IDs and classes mentioned in a script. */
export interface ElementNames {
  /** IDs that the script looks up in the document. */
  ids: NameUse[]
  lookedUp: NameUse[]
  /** Classes that the script adds to or removes from elements. */
  changed: NameUse[]
  /** The script's own functions that look up their first argument. */
  helpers: Map<string, LookUpKind>
  /** Calls of functions that may be helpers, defined in this script or another one. */
  calls: TextCall[]
  /** Names in all other strings, which the script may give to elements. */
  given: GivenNames
  /** Words in the selectors of all lookups, whether they search the document or a single element. */
  selectors: string[]
}

const LOOK_UP = /(?:^|\.)(?:getElementById|getElementsByClassName|querySelector(?:All)?|closest|matches)$/
const CHANGE = /\bclassList\.(?:add|remove|toggle)$/
const TEXTS = ["string", "template_string"]
/** Marks a computed part of a string. */
const HOLE = "\0"

/** Collects the element IDs and classes in a script. */
export function readElementNames({ rootNode }: Tree): ElementNames {
  const names: ElementNames = {
    ids: [],
    lookedUp: [],
    changed: [],
    helpers: new Map(),
    calls: [],
    given: { ids: [], classes: [], patterns: [] },
    selectors: [],
  }
  for (const node of rootNode.descendantsOfType(TEXTS)) readText(node, names)
  for (const call of rootNode.descendantsOfType("call_expression")) readHelper(call, names)
  if (setsComputedId(rootNode.text)) {
    const keys = rootNode.descendantsOfType("pair").map((pair) => pair.childForFieldName("key")?.text ?? "")
    names.given.ids.push(...keys)
  }
  return names
}

/** Returns true if the script gives computed IDs to elements. Such IDs may be the keys of an object in the script. */
function setsComputedId(text: string): boolean {
  return /\.id\s*=(?!=)\s*[^\s"'`]|\(\s*["']id["']\s*,\s*[^\s"'`]|\bid=\{[^`"']/.test(text)
}

function readText(node: Node, names: ElementNames): void {
  const { parent } = node
  const text = textOf(node)
  const call = parent?.type === "arguments" ? parent.parent : null
  const callee = call?.type === "call_expression" ? call.childForFieldName("function") : null
  const line = node.startPosition.row + 1
  const isWhole = !text.includes(HOLE)
  if (callee && LOOK_UP.test(callee.text)) {
    names.selectors.push(...wordsOf(text))
    if (isWhole) readLookUp(callee.text, text, line, names)
  } else if (callee && CHANGE.test(callee.text)) {
    if (isWhole && text !== "") names.changed.push({ name: text, line })
    // The call may also add the class to elements, so treat the class as given.
    add(names.given, { ids: [], ...classesOf(text) })
  } else if (callee?.type === "identifier" && parent?.namedChild(0)?.id === node.id) {
    const argument = isWhole ? text : undefined
    names.calls.push({ callee: callee.text, argument, line, names: namesIn(text, text) })
  } else add(names.given, namesIn(text, withHoles(node, text)))
}

function readLookUp(callee: string, text: string, line: number, { ids, lookedUp }: ElementNames): void {
  if (callee === "document.getElementById") ids.push({ name: text, line })
  if (callee === "document.querySelector") readSelector(text, line, { ids, lookedUp })
}

/** Records the name if the selector consists of a single ID or class. */
export function readSelector(
  text: string,
  line: number,
  { ids, lookedUp }: Pick<ElementNames, "ids" | "lookedUp">,
): void {
  const [, sign, name = ""] = /^([#.])([A-Za-z_][\w-]*)$/.exec(text) ?? []
  if (sign === "#") ids.push({ name, line })
  if (sign === ".") lookedUp.push({ name, line })
}

const FUNCTIONS = new Set(["function_declaration", "arrow_function", "function_expression", "method_definition"])

/** Records a function that looks up its own first parameter. */
function readHelper(call: Node, { helpers }: ElementNames): void {
  const callee = call.childForFieldName("function")?.text ?? ""
  const kind = /^document\.(?:getElementById|querySelector)$/.test(callee)
  const argument = call.childForFieldName("arguments")?.namedChild(0)
  if (!kind || argument?.type !== "identifier") return
  const around = ancestorsOf(call).find(({ type }) => FUNCTIONS.has(type))
  const first = around?.childForFieldName("parameter") ?? around?.childForFieldName("parameters")?.namedChild(0)
  const parameter = first?.childForFieldName("pattern") ?? first
  const owner = around?.type === "function_declaration" ? around : around?.parent
  const name = owner && /declarat/.test(owner.type) ? owner.childForFieldName("name") : null
  if (parameter?.text !== argument.text || name?.type !== "identifier") return
  helpers.set(name.text, callee.endsWith("Id") ? "id" : "selector")
}

/** Returns a string's text, with a hole in place of each computed part. */
function textOf(node: Node): string {
  if (node.type === "string") return node.text.slice(1, -1)
  let text = ""
  let end = node.startIndex + 1
  for (const hole of node.namedChildren.filter(({ type }) => type === "template_substitution")) {
    text += node.text.slice(end - node.startIndex, hole.startIndex - node.startIndex) + HOLE
    end = hole.endIndex
  }
  return text + node.text.slice(end - node.startIndex, -1)
}

/** Adds a hole to each end of the text that a `+` or `+=` extends. */
function withHoles(node: Node, text: string): string {
  let [before, after] = [false, false]
  for (let part = node; part.parent && /^(?:augmented|binary)_/.test(part.parent.type); part = part.parent) {
    const isRight = part.parent.childForFieldName("right")?.id === part.id
    before ||= isRight
    after ||= !isRight
  }
  return `${before ? HOLE : ""}${text}${after ? HOLE : ""}`
}

/**
 * Returns the names in a string. `text` is the string alone. `whole` also has holes at the ends where the string is
 * extended.
 */
function namesIn(text: string, whole: string): GivenNames {
  if (!/<[a-z]|=\\?["']/i.test(text)) {
    const { classes, patterns } = classesOf(whole)
    const words = [...classes, ...text.split(/[^\w\-\0]+/).filter((word) => word !== "" && !word.includes(HOLE))]
    return { ids: words, classes: words, patterns }
  }
  const ids = attributesIn(whole, "id")
  const classes = attributesIn(whole, "class")
  return { ids: ids.classes, classes: classes.classes, patterns: [...ids.patterns, ...classes.patterns] }
}

/** Returns the names in all attributes called `name` in an HTML string. */
function attributesIn(text: string, name: string): Omit<GivenNames, "ids"> {
  const values = [...text.matchAll(new RegExp(`\\b${name}(?:Name)?\\s*=\\s*\\\\?["']?([^"'<>\\\\]*)`, "gi"))]
  return classesOf(values.map(([, value = ""]) => value).join(" "))
}

/** Returns the words of a text that may be class names, including partly computed names. */
function classesOf(text: string): Omit<GivenNames, "ids"> {
  const found: Omit<GivenNames, "ids"> = { classes: [], patterns: [] }
  for (const word of text.split(/[^\w\-:\0]+/)) {
    if (word.includes(HOLE)) found.patterns.push(word)
    else if (word !== "") found.classes.push(word)
    if (/^[-_:]./.test(word)) found.patterns.push(HOLE + word)
    if (/.[-_:]$/.test(word)) found.patterns.push(word + HOLE)
  }
  // A pattern that consists only of holes would match every name. Drop it, because the actual name is in another
  // string.
  return { ...found, patterns: found.patterns.filter((word) => word.replaceAll(HOLE, "") !== "") }
}

/** Returns true if a pattern can produce a name with some values for its computed parts. */
export function fits(pattern: string, name: string): boolean {
  const [start = "", ...rest] = pattern.split(HOLE)
  const end = rest.pop() ?? ""
  if (!name.startsWith(start) || !name.endsWith(end) || name.length < start.length + end.length) return false
  let index = start.length
  for (const part of rest) {
    const found = name.indexOf(part, index)
    if (found < 0) return false
    index = found + part.length
  }
  return index <= name.length - end.length
}

/** Returns the words of a text that may be names. */
export function wordsOf(text: string): string[] {
  return text.split(/[^\w-]+/).filter((word) => word !== "")
}

function add(to: GivenNames, { ids, classes, patterns }: GivenNames): void {
  to.ids.push(...ids)
  to.classes.push(...classes)
  to.patterns.push(...patterns)
}
