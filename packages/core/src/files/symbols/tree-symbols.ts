import type { Node, Tree } from "web-tree-sitter"
import type { Grammar } from "./languages.ts"
import { BODIES, DECLARATIONS, DECORATIONS, FUNCTIONS, NAMED, PREFIXES, SHELLS, WITH_MEMBERS } from "./node-types.ts"
import { elementsIn } from "./page-elements.ts"
import type { FileSymbol, Member } from "./schema.ts"
import { oneLine } from "./signature.ts"

/** Maximum number of nested nodes around a declaration, because texts can nest nodes without limit. */
const MAX_DEPTH = 12

type Kind = Member["kind"]

/** A declaration, with the node at which its text starts. */
interface Found {
  node: Node
  from: Node
  kind: Kind
}

interface Walk {
  kinds: ReadonlyMap<string, Kind>
  atMost: number
  found: Found[]
}

/** Returns the declarations in a syntax tree, at most `atMost` per level. */
export function symbolsIn(grammar: Grammar, { rootNode }: Tree, text: string, atMost: number): FileSymbol[] {
  if (grammar === "html") return elementsIn(rootNode, text, atMost)
  const kinds = new Map(Object.entries(DECLARATIONS[grammar]))
  const declarationsIn = (parent: Node) => {
    const walk: Walk = { kinds, atMost, found: [] }
    visitAll(parent, walk, 0)
    return walk.found
  }
  const describe = ({ node, from, kind }: Found): Member => {
    const first = startOf(from)
    const start = first.startIndex
    const signature =
      grammar === "ruby" ? firstLine(text.slice(start, node.endIndex)) : signatureOf(node, kind, start, text)
    const name = node.type === "export_statement" ? "default" : oneLine(textOf(nameOf(node), text))
    return { name, kind, signature: oneLine(signature), line: first.startPosition.row + 1 }
  }
  let left = atMost
  return declarationsIn(rootNode).map((found) => {
    const body = left > 0 ? memberBodyOf(found) : undefined
    const members = body ? declarationsIn(body).map(describe).map(asMember) : []
    left -= members.length
    return { ...describe(found), members }
  })
}

function visitAll(parent: Node, walk: Walk, depth: number): void {
  if (depth > MAX_DEPTH) return
  for (const node of parent.namedChildren) {
    if (walk.found.length >= walk.atMost) return
    visit(node, node, walk, depth)
  }
}

function visit(node: Node, from: Node, walk: Walk, depth: number): void {
  const kind = walk.kinds.get(node.type)
  if (kind !== undefined) {
    if (isDeclaration(node)) walk.found.push({ node, from, kind: exactKind(node, kind) })
    const body = kind === "module" ? bodyOf(node) : undefined
    if (body) visitAll(body, walk, depth + 1)
  } else if (PREFIXES.has(node.type)) visitBehind(node, from, walk, depth + 1)
  else if (SHELLS.has(node.type)) visitAll(node, walk, depth + 1)
  else {
    const body = calledFunction(node)?.childForFieldName("body")
    if (body) visitAll(body, walk, depth + 1)
  }
}

/**
 * Visits the declaration behind a prefix. If both are on the same line, the declaration's text starts at the prefix. If
 * the prefix has several declarations, this applies only to the first one.
 */
function visitBehind(prefix: Node, from: Node, walk: Walk, depth: number): void {
  if (depth > MAX_DEPTH) return
  const unnamed = prefix.type === "export_statement" ? prefix.childForFieldName("value") : null
  if (unnamed) {
    walk.found.push({ node: prefix, from, kind: exactKind(prefix, "variable") })
    return
  }
  const before = walk.found.length
  const { row } = startOf(from).startPosition
  for (const node of prefix.namedChildren) {
    if (walk.found.length >= walk.atMost) return
    const isFirst = walk.found.length === before && node.startPosition.row === row
    visit(node, isFirst ? from : node, walk, depth)
  }
}

/**
 * Returns the function expression that this node calls immediately. Scripts of pages often wrap their code in such
 * functions.
 */
function calledFunction(node: Node): Node | undefined {
  const called = node.type === "call_expression" ? node.childForFieldName("function") : null
  const inner = called?.type === "parenthesized_expression" ? called.namedChild(0) : called
  return inner && FUNCTIONS.has(inner.type) ? inner : undefined
}

/** True if an assignment or a property matters to readers of other files. */
function isDeclaration(node: Node): boolean {
  const { type } = node
  if (type === "pair") return FUNCTIONS.has(initialOf(node)?.type ?? "")
  if (type !== "assignment_expression" && type !== "assignment") return true
  const left = node.childForFieldName("left")?.type
  if (type === "assignment_expression") return left === "member_expression"
  return left === "identifier" ? isOfPython(node) : left === "constant"
}

function isOfPython(assignment: Node): boolean {
  return assignment.parent?.type === "expression_statement"
}

function exactKind(node: Node, kind: Kind): Kind {
  if (kind !== "variable" && kind !== "property" && kind !== "type") return kind
  const value = kind === "variable" ? initialOf(node)?.type : undefined
  if (value !== undefined && FUNCTIONS.has(value)) return "function"
  if (value === "class") return "class"
  if (
    (kind === "variable" || kind === "property") &&
    declaratorsOf(node).some(({ type }) => type === "function_declarator")
  ) {
    return kind === "variable" ? "function" : "method"
  }
  const type = kind === "type" ? node.childForFieldName("type")?.type : undefined
  if (type === "struct_type" || type === "struct_specifier") return "struct"
  return type === "interface_type" ? "interface" : kind
}

function asMember(member: Member): Member {
  if (member.kind === "function") return { ...member, kind: "method" }
  return member.kind === "variable" ? { ...member, kind: "property" } : member
}

function nameOf(node: Node): Node {
  const found = node.childForFieldName("name")
  if (found) return found
  const declarators = declaratorsOf(node)
  const last = declarators.at(-1)
  if (last) return last.childForFieldName("name") ?? last
  const inner = ["property", "key", "left"].map((field) => node.childForFieldName(field)).find((one) => one !== null)
  if (inner) return inner
  const named = node.namedChildren.find(({ type }) => NAMED.has(type)) ?? node.childForFieldName("type")
  if (!named) return node
  const own = named.childForFieldName("name") ?? named.namedChildren.find(({ type }) => type === "variable_declarator")
  return own?.childForFieldName("name") ?? own ?? named
}

/** Returns the nested declarators of a C or Java declaration, down to the name. */
function declaratorsOf(node: Node): Node[] {
  const chain: Node[] = []
  for (let at: Node | null = node; at !== null && chain.length < MAX_DEPTH; ) {
    const inner: Node | null = at.childForFieldName("declarator")
    at = inner ?? (/^(parenthesized|reference)_declarator$/.test(at.type) ? at.namedChild(0) : null)
    if (at) chain.push(at)
  }
  return chain
}

function initialOf(node: Node): Node | null {
  return node.childForFieldName("value") ?? node.childForFieldName("right")
}

function bodyOf(node: Node, value = initialOf(node)): Node | undefined {
  const body = node.childForFieldName("body") ?? node.childForFieldName("accessors")
  if (body) return body
  const ofValue =
    value && (FUNCTIONS.has(value.type) || value.type === "class") ? value.childForFieldName("body") : null
  if (ofValue) return ofValue
  const last = node.lastNamedChild
  return last && BODIES.has(last.type) ? last : undefined
}

/** Returns the node that contains the members of a declaration: its body, its type or its object. */
function memberBodyOf({ node, kind }: Found): Node | undefined {
  const value = initialOf(node)
  if (value?.type === "object") return value
  const type = node.childForFieldName("type")
  if (type && (kind === "struct" || kind === "interface") && !node.childForFieldName("body"))
    return bodyOf(type) ?? type
  return WITH_MEMBERS.has(kind) ? bodyOf(node, value) : undefined
}

function signatureOf(node: Node, kind: Kind, start: number, text: string): string {
  const whole = text.slice(start, node.endIndex)
  if (node.type === "type_definition") return withoutBody(node, whole, start)
  if (kind === "enum" || kind === "type") return whole
  const value = initialOf(node)
  const body = bodyOf(node, value) ?? (value?.type === "object" ? value : undefined)
  if (body && body.startIndex > start) return text.slice(start, body.startIndex)
  return kind === "function" || kind === "method" ? whole : firstLine(whole)
}

/** Shortens the body of a declaration whose name comes after the body, such as `typedef struct { … } Name`. */
function withoutBody(node: Node, whole: string, start: number): string {
  const body = node.childForFieldName("type")?.childForFieldName("body")
  if (!body) return whole
  return `${whole.slice(0, body.startIndex - start)} { … } ${whole.slice(body.endIndex - start)}`
}

function firstLine(text: string): string {
  const end = text.indexOf("\n")
  return end < 0 ? text : text.slice(0, end)
}

function textOf(node: Node, text: string): string {
  return text.slice(node.startIndex, node.endIndex)
}

/** Returns a node's first child that isn't a decoration. */
function startOf(node: Node): Node {
  // Read all children only if the first one isn't suitable, because reading them is slower.
  const first = node.firstChild
  if (first && !DECORATIONS.has(first.type) && first.type !== "modifiers") return first
  for (const child of node.children) {
    if (DECORATIONS.has(child.type)) continue
    if (child.type !== "modifiers") return child
    const modifier = child.children.find(({ type }) => !DECORATIONS.has(type))
    if (modifier) return modifier
  }
  return node
}
