import { createHash } from "node:crypto"
import type { References } from "./references.ts"
import type { FileFacts, FileSymbol, Member } from "./schema.ts"

/**
 * Variant of the map. `model` has no line numbers, because every edit would change the numbers of later symbols.
 * `editor` has line numbers and referrers.
 */
export type MapVariant = "model" | "editor"

export const MAP_LEGEND =
  "Kinds: c class, t interface or other type, m method, f function, v variable, p property, x other. An a before m or f: asynchronous. `?` optional, `*` variadic, `->` returns. `i` imports packages, `i→` files of the repository. ←N after a path: referred to by N files."

const KINDS: Record<Member["kind"], string> = {
  ...{ class: "c", struct: "c", trait: "t", interface: "t", implementation: "c", enum: "t", type: "t", module: "x" },
  ...{ function: "f", method: "m", property: "p", variable: "v", macro: "f" },
  ...{ heading: "x", key: "x", rule: "x", element: "x" },
}
const SHOWN_REFERRERS = 4

/**
 * Returns a hash of the parts of a file's block that depend only on that file. While the hash stays the same, the block
 * needn't be sent to a model again.
 */
export function signatureHash({ symbols, imports }: FileFacts): string {
  const own = symbols.map(({ line: _, members, ...symbol }) => ({
    ...symbol,
    members: members.map(({ line: _, ...member }) => member),
  }))
  return createHash("sha256")
    .update(JSON.stringify([own, imports]))
    .digest("hex")
    .slice(0, 16)
}

export function fileBlock(path: string, facts: FileFacts, references: References, variant: MapVariant): string {
  const referrers = references.referrers.get(path) ?? []
  const head = `\n${path}:${referrers.length > 0 ? ` ←${referrers.length}` : ""}`
  const imports = references.imports.get(path) ?? []
  const external = externalImports(facts)
  const lines = [
    head,
    ...(external.length > 0 ? [`i ${external.join(",")}`] : []),
    ...(imports.length > 0 ? [`i→${imports.join(",")}`] : []),
    ...(isTest(path) ? [testLine(facts)] : facts.symbols.flatMap((symbol) => symbolLines(symbol, variant))),
    ...(variant === "editor" && referrers.length > 0 ? [referrersLine(referrers)] : []),
  ]
  return lines.join("\n")
}

/** Returns a lower bound for the length of a file's block in characters, without building the block. */
export function leastBlockLength(path: string, { symbols }: FileFacts): number {
  const head = path.length + 2
  if (isTest(path)) return head
  const ofLine = ({ name }: { name: string }) => name.length + 3
  return symbols.reduce(
    (sum, symbol) => symbol.members.reduce((all, member) => all + ofLine(member), sum + ofLine(symbol)),
    head,
  )
}

/** Returns the map of all files, sorted by path. The same input always produces the same map. */
export function symbolMap(files: ReadonlyMap<string, FileFacts>, references: References, variant: MapVariant): string {
  const paths = [...files.keys()].sort()
  return paths.map((path) => fileBlock(path, files.get(path) as FileFacts, references, variant)).join("\n")
}

function symbolLines(symbol: FileSymbol, variant: MapVariant): string[] {
  return [symbolLine(symbol, variant), ...symbol.members.map((member) => `  ${symbolLine(member, variant)}`)]
}

function symbolLine({ name, kind, signature, line }: Member, variant: MapVariant): string {
  const isAsync = (kind === "function" || kind === "method") && /\basync\b/.test(signature.split("(")[0] ?? "")
  const at = variant === "editor" ? ` :${line}` : ""
  return `${isAsync ? "a" : ""}${KINDS[kind]} ${name}${detailOf(kind, signature)}${at}`
}

/** Returns the parameter names and result of a function, or the bases of a class. */
function detailOf(kind: Member["kind"], signature: string): string {
  if (kind === "function" || kind === "method") {
    const { inside, after } = parenthesised(signature) ?? { inside: "", after: "" }
    const result = /^\s*(?:->|:)\s*([^={]+)/.exec(after)?.[1]?.trim()
    return `(${parametersOf(inside).join(",")})${result ? `->${result}` : ""}`
  }
  if (kind !== "class" && kind !== "interface" && kind !== "struct") return ""
  const [, extended] = signature.split(/\bextends\s/)
  const inherited = /^(?:class|struct) \w+ ?(?:\(|: |< )(.*)$/.exec(signature)?.[1]
  const bases = extended?.split(/\simplements\b|[{<]/)[0] ?? inherited?.split(/[){]/)[0]
  return bases?.trim() ? `(${bases.trim().replaceAll(/\s+/g, " ")})` : ""
}

function parenthesised(text: string): { inside: string; after: string } | undefined {
  const from = text.indexOf("(")
  if (from < 0) return undefined
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++
    if (text[at] === ")" && --depth === 0) return { inside: text.slice(from + 1, at), after: text.slice(at + 1) }
  }
  return { inside: text.slice(from + 1), after: "" }
}

function parametersOf(inside: string): string[] {
  return splitAtCommas(inside).flatMap((parameter) => {
    const text = parameter.trim()
    if (text === "" || text === "self" || text === "cls" || text === "&self" || text === "&mut self") return []
    if (/^this\b/.test(text)) return []
    const isVariadic = /^(\*{1,2}|\.\.\.)/.test(text)
    const isOptional = /=|\?\s*:/.test(text)
    // The name comes first if it is followed by a type. Otherwise, the name comes last.
    const declared = (text.split(/[=[]/)[0] ?? "").trim()
    const first = /^(?:\*{1,2}|\.\.\.|&)?(?:mut )?([\w$]+)\??(?::|$)/.exec(declared)?.[1]
    const named = first ?? declared.split(/[^\w$]/).at(-1)
    return [`${isVariadic ? "*" : ""}${named || "_"}${isOptional ? "?" : ""}`]
  })
}

/** Splits a text at commas that aren't inside brackets. */
function splitAtCommas(text: string): string[] {
  const parts = [""]
  let depth = 0
  for (const char of text) {
    if ("([{<".includes(char)) depth++
    if (")]}>".includes(char)) depth--
    if (char === "," && depth <= 0) parts.push("")
    else parts[parts.length - 1] += char
  }
  return parts
}

function externalImports({ imports }: FileFacts): string[] {
  const modules = imports.map(({ module }) => module).filter((module) => !module.startsWith("."))
  return [...new Set(modules)].sort()
}

function isTest(path: string): boolean {
  return /(^|\/)(tests?|spec)\/|(^|\/)test_[^/]*$|_test\.\w+$|\.(test|spec)\.\w+$/.test(path)
}

function testLine({ symbols }: FileFacts): string {
  const classes = symbols.filter(({ kind }) => kind === "class")
  const functions = symbols.filter(({ kind }) => kind === "function")
  const methods = classes.reduce((sum, { members }) => sum + members.filter(({ kind }) => kind === "method").length, 0)
  const fixtures = functions.map(({ name }) => name).filter((name) => !/^test/i.test(name))
  return `# ${classes.length}c/${methods + functions.length}m${fixtures.length > 0 ? ` fixtures:${fixtures.join(",")}` : ""}`
}

function referrersLine(referrers: readonly string[]): string {
  const more = referrers.length - SHOWN_REFERRERS
  return `←${referrers.slice(0, SHOWN_REFERRERS).join(",")}${more > 0 ? `+${more}` : ""}`
}
