import * as nodeModules from "node:module"
import { type Fault, type Finding, faultAt } from "../facts/finding.ts"
import type { Import, JavaScriptModule } from "../facts/javascript-module.ts"
import type { MemberUse } from "../facts/member-uses.ts"
import { nearOf } from "../facts/near.ts"
import { faultsOf, type Project, scriptsIn } from "../facts/project.ts"

/**
 * Finds misspelt members of built-in objects, elements and Node modules. Reports only names that are very close to a
 * known one.
 */
export function checkKnownMembers(project: Project): Finding[] {
  const made = new Set<string>()
  const words = new Set(WORDS)
  const read = new Set<string>()
  const written = new Set<string>()
  for (const { members, names } of [...project.facts.values()].flatMap(scriptsIn)) {
    for (const name of [...members.made, ...names.bound]) {
      made.add(name)
      for (const word of wordsIn(name)) words.add(word)
    }
    for (const { name } of members.read) read.add(name)
    for (const { name } of members.written) written.add(name)
  }
  return faultsOf(project, "javascript", (_, module) => [
    ...module.members.read
      .filter(({ name }) => !made.has(name) && !written.has(name))
      .flatMap((member) => checkMember(member, module, words)),
    // A member that is written but never read was probably meant to be a built-in member.
    ...module.members.written
      .filter(({ object, name }) => object !== "this" && !made.has(name) && !read.has(name))
      .flatMap((member) => checkMember(member, module, words)),
    ...module.imports.flatMap(checkOfNode),
  ])
}

function checkMember(
  { object, name, line, isCalled }: MemberUse,
  { names }: JavaScriptModule,
  words: ReadonlySet<string>,
): Fault[] {
  const known = object !== undefined && !names.bound.has(object) ? OBJECTS.get(object) : undefined
  if (/^[_$]/.test(name)) return []
  const isKnown = known ? known.has(name) : ANYWHERE.has(name)
  if (isKnown) return []
  const near = (known && nearOf(name, known)) || nearAnywhere(name, { object, isCalled, words })
  if (!near) return []
  return [
    faultAt(line, "missing_name", `"${object ? `${object}.` : ""}${name}" doesn't exist. Did you mean "${near}"?`),
  ]
}

/**
 * Returns the member of elements or values that a name most likely misspells. Only names with at least 8 letters are
 * compared, ignoring case after the first letter. A name composed of known words counts as correct. For example,
 * `getContent` isn't a misspelt `getContext`.
 */
function nearAnywhere(
  name: string,
  { object, isCalled, words }: { object: string | undefined; isCalled: boolean; words: ReadonlySet<string> },
): string | undefined {
  if (name.length < 8) return undefined
  const members = isCalled ? DISTINCT : OF_PAGES
  const inOtherCase = members.find((one) => one[0] === name[0] && one.toLowerCase() === name.toLowerCase())
  const near = inOtherCase ?? nearOf(name, members)
  const isOfDocument = object === "document"
  return inOtherCase || isOfDocument || !wordsIn(name).every((word) => words.has(word)) ? near : undefined
}

/** Splits a name into lower-case words. */
function wordsIn(name: string): string[] {
  return name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.map((word) => word.toLowerCase()) ?? []
}

/** Finds imports of Node modules that don't exist, and of names that the imported Node module doesn't export. */
function checkOfNode({ specifier, names, line }: Import): Fault[] {
  const [name = ""] = specifier.replace(/^node:/, "").split("/", 1)
  if (!nodeModules.isBuiltin(specifier)) {
    if (!specifier.startsWith("node:")) return []
    const near = nearOf(name, nodeModules.builtinModules)
    const message = `Node has no module "${specifier}".${near ? ` Did you mean "node:${near}"?` : ""}`
    return [faultAt(line, "missing_import", message)]
  }
  if (name.startsWith("_")) return []
  const exported = Object.keys(process.getBuiltinModule?.(specifier) ?? {})
  return names.flatMap((one) => {
    const near = one === "default" || exported.includes(one) ? undefined : nearOf(one, exported)
    return near ? [faultAt(line, "missing_export", `${specifier} has no "${one}". Did you mean "${near}"?`)] : []
  })
}

/** Returns an object's members, including inherited ones. */
function membersOf(value: unknown): string[] {
  const names: string[] = []
  for (let one: unknown = value; one !== null && one !== undefined; one = Object.getPrototypeOf(one)) {
    names.push(...Object.getOwnPropertyNames(one))
  }
  return names
}

const STORAGE = new Set(["getItem", "setItem", "removeItem", "clear", "key", "length"])
/** All members of some built-in objects, by object name. */
const OBJECTS: ReadonlyMap<string, ReadonlySet<string>> = new Map<string, ReadonlySet<string>>([
  ...[
    ...["JSON", "Math", "Object", "Array", "Promise", "Number", "String", "Date", "Reflect", "Symbol", "Intl"],
    ...["URL", "console", "BigInt", "ArrayBuffer", "Atomics", "AbortSignal", "process"],
  ].map((name) => [name, new Set(membersOf(Reflect.get(globalThis, name)))] as const),
  ["localStorage", STORAGE],
  ["sessionStorage", STORAGE],
])

/** Long, distinctive names of members of pages, elements and events. */
const OF_PAGES = `activeElement addEventListener appendChild attributeChangedCallback childElementCount childNodes
  classList className clientHeight clientWidth cloneNode connectedCallback contentEditable createDocumentFragment createElement
  createElementNS createTextNode currentTarget customElements defaultPrevented disconnectedCallback dispatchEvent
  documentElement firstElementChild getAttribute getAttributeNames getBoundingClientRect getComputedStyle getContext
  getElementById getElementsByClassName getElementsByTagName hasAttribute hasAttributes importNode innerHTML innerText
  insertAdjacentElement insertAdjacentHTML insertAdjacentText insertBefore lastElementChild localStorage matchMedia
  nextElementSibling offsetHeight offsetParent offsetWidth outerHTML parentElement parentNode preventDefault
  previousElementSibling querySelector querySelectorAll removeAttribute removeAttributeNS removeChild removeEventListener
  removeProperty getPropertyValue setProperty replaceChild replaceChildren replaceWith requestAnimationFrame
  cancelAnimationFrame reportValidity checkValidity setCustomValidity requestSubmit scrollHeight scrollIntoView scrollLeft
  scrollWidth sessionStorage setAttribute setAttributeNS getAttributeNS hasAttributeNS setAttributeNode getAttributeNode
  stopImmediatePropagation stopPropagation textContent toggleAttribute visibilityState getAttributeNodeNS
  setAttributeNodeNS removeAttributeNode getElementsByName elementFromPoint elementsFromPoint selectionStart selectionEnd
  selectedIndex selectedOptions parentElements childElements`.split(/\s+/)
const PROTOTYPES = [Array, String, Number, Date, Map, Set, Promise, RegExp, Function, Object, URL, URLSearchParams]
const OF_VALUES = PROTOTYPES.flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
const ANYWHERE: ReadonlySet<string> = new Set([
  ...[...OF_PAGES, ...OF_VALUES, ...[...OBJECTS.values()].flatMap((names) => [...names])],
  ...Object.getOwnPropertyNames(globalThis),
  ...["lastIndex", "stackTraceLimit"],
])
const WORDS: ReadonlySet<string> = new Set([...ANYWHERE].flatMap(wordsIn))
/** Members with camel-case names of at least 9 characters, which aren't plain English words. */
const DISTINCT = [...OF_PAGES, ...OF_VALUES].filter((name) => /^[a-z]+[A-Z]/.test(name) && name.length >= 9)
