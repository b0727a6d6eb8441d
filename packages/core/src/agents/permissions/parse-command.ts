import type { Node } from "web-tree-sitter"
import { withTree } from "../../files/symbols/grammars.ts"
import { type CommandText, plainCommand, UNKNOWN_COMMAND, withEffects } from "./shell-command.ts"
import { holdsCode, isQuiet, isRiskyAssignment, type SimpleCommand, type Word } from "./shell-words.ts"

/** Maximum nesting depth of scripts that run scripts. */
const MAX_DEPTH = 4

/**
 * Parses a command with a shell grammar. Returns undefined if it can't be parsed with certainty. Loads the grammar, so
 * only runners may call this.
 */
export async function parseCommand(text: string, depth = 0): Promise<CommandText | undefined> {
  const plain = plainCommand(text)
  if (plain) return plain
  const joined = joinLines(text)
  if (joined === undefined || depth > MAX_DEPTH) return undefined
  const typed = await withTree("bash", joined, ({ rootNode }) =>
    rootNode.hasError ? undefined : commandsOf(rootNode, joined),
  )
  if (!typed) return undefined
  const { run, scripts } = withEffects(typed)
  for (const script of scripts) run.push(...((await parseCommand(script, depth + 1))?.run ?? [UNKNOWN_COMMAND]))
  return { typed, run }
}

/** Characters that are invisible, or that the grammar and some shells may read differently. */
const STRANGE = /[^\P{C}\n\t]|[\p{Z}--[ ]]/v

/**
 * Removes line continuations, which the grammar would treat as spaces. Rejects `#`, because comments can't be
 * continued.
 */
function joinLines(text: string): string | undefined {
  if (STRANGE.test(text)) return undefined
  if (!text.includes("\\\n")) return text
  return text.includes("#") ? undefined : text.replace(/(?<!\\)((?:\\\\)*)\\\n/g, "$1")
}

/** Types of nodes that contain nothing but commands. */
const CONTAINERS = new Set(["program", "list", "pipeline", "redirected_statement", "subshell", "negated_command"])

/** Finds every command in a tree, at any depth. */
function commandsOf(root: Node, text: string): SimpleCommand[] {
  const found: SimpleCommand[] = []
  // Nodes to visit. `isBare` is true if a rule may allow what the node contains.
  const todo: { node: Node; isBare: boolean; more: Word[] }[] = [{ node: root, isBare: true, more: [] }]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { node, isBare, more } = next
    const redirects = node.namedChildren.filter((child) => child?.type.endsWith("_redirect"))
    const isInside = isBare && redirects.every((one) => one !== null && isHarmless(one, text))
    const extra = [...more, ...redirects.flatMap((one) => (one ? wordsBehind(one, text) : []))]
    const isCommand = node.type === "command"
    if (isCommand) found.push(...commandIn(node, text, isInside, extra))
    else if (!CONTAINERS.has(node.type)) found.push(...codeIn(node, text))
    const isContainer = CONTAINERS.has(node.type)
    if (node.type === "heredoc_body")
      found.push({ words: ["heredoc", text.slice(node.startIndex, node.endIndex)], isBare: false })
    const isOther = !isContainer && !isCommand && STATEMENT.test(node.type)
    if (isOther) found.push({ words: [], isBare: false })
    for (const child of node.namedChildren) {
      if (child && child.type !== "comment") {
        todo.push({
          node: child,
          isBare: isContainer && isInside,
          more: node.type === "redirected_statement" ? extra : [],
        })
      }
    }
  }
  return found
}

const STATEMENT = /_(statement|command|definition|assignment|assignments)$/

function commandIn(node: Node, text: string, isBare: boolean, more: Word[]): SimpleCommand[] {
  const children = node.namedChildren.filter((child) => child !== null)
  const isAssigned = children.some(({ type }) => type === "variable_assignment")
  const own = children.filter(({ type }) => type !== "variable_assignment" && !type.endsWith("_redirect"))
  const words = [
    ...own.map((child) => wordOf(child.type === "command_name" ? (child.namedChild(0) ?? child) : child, text)),
    ...more,
  ]
  return [{ words, isBare: isBare && !isAssigned && more.length === 0 }]
}

/** Returns an unknown command for a part of the text that isn't a command but may run one. */
function codeIn(node: Node, text: string): SimpleCommand[] {
  const own = text.slice(node.startIndex, node.endIndex)
  switch (node.type) {
    case "variable_assignment": {
      const name = own.split(/[+[=]/, 1)[0] ?? ""
      const value = node.childForFieldName("value")
      const isRisky = isRiskyAssignment(name, value ? wordOf(value, text) : "")
      return isRisky ? [UNKNOWN_COMMAND] : []
    }
    case "raw_string":
    case "ansi_c_string":
      return holdsCode(own) && !isQuietArgument(node, text) ? [UNKNOWN_COMMAND] : []
    case "word":
    case "string_content":
    case "heredoc_content":
    case "regex":
      return /(^|[^\\])(`|\$\()/.test(own) ? [UNKNOWN_COMMAND] : []
    case "expansion":
      return /@P\}$|^\$\{!/.test(own) ? [UNKNOWN_COMMAND] : []
    default:
      return []
  }
}

function isQuietArgument(node: Node, text: string): boolean {
  const parent = node.parent
  if (parent?.type === "concatenation") return isQuietArgument(parent, text)
  if (parent?.type !== "command") return false
  const [command] = commandIn(parent, text, false, [])
  return command !== undefined && isQuiet(command.words)
}

/** True for a redirection that only reads, merges two outputs, or discards one. */
function isHarmless(node: Node, text: string): boolean {
  if (node.type !== "file_redirect") return false
  const own = text.slice(node.startIndex, node.endIndex)
  return /^\d*(>&\d|>>?\s*\/dev\/null|&>>?\s*\/dev\/null|<\s*[\w./-]+)$/.test(own)
}

/** Returns the words after a redirection's target. The grammar includes them in the redirection. */
function wordsBehind(node: Node, text: string): Word[] {
  const words = node.namedChildren.filter(
    (child) => child !== null && !/^(file_descriptor|heredoc_\w+|pipeline|list)$/.test(child.type),
  )
  const own = node.type === "heredoc_redirect" ? 0 : 1
  return words.slice(own).flatMap((child) => (child && !child.type.endsWith("_redirect") ? [wordOf(child, text)] : []))
}

/** True for braces that the shell expands into several words. */
function hasBraces(text: string): boolean {
  const at = text.indexOf("{")
  return at !== -1 && /,|\.\./.test(text.slice(at))
}

/** Returns a word without its quotes. Null if the shell expands the word. */
function wordOf(node: Node, text: string): Word {
  const own = text.slice(node.startIndex, node.endIndex)
  const children = node.namedChildren.filter((child) => child !== null)
  switch (node.type) {
    case "number":
    case "variable_name":
      return own
    case "word":
      return /(^|[^\\])[*?[`$]/.test(own) || hasBraces(own) ? null : own.replace(/\\([\s\S])/g, "$1")
    case "raw_string":
      return own.slice(1, -1)
    case "ansi_c_string":
      return own.includes("\\") ? null : own.slice(2, -1)
    case "string":
      if (children.some(({ type }) => type !== "string_content")) return null
      return own.slice(1, -1).replace(/\\(["\\$`])/g, "$1")
    case "concatenation":
      return joinedWord(children, own, text)
    default:
      return null
  }
}

function joinedWord(children: Node[], own: string, text: string): Word {
  const words = children.map((child) => wordOf(child, text))
  const length = children.reduce((sum, child) => sum + child.endIndex - child.startIndex, 0)
  // If there is text between the parts, the value is unknown. Braces may span several parts, so check the parts
  // together.
  if (words.includes(null) || length !== own.length) return null
  const bare = children
    .map((child) => (child.type === "word" ? text.slice(child.startIndex, child.endIndex) : "x"))
    .join("")
  return hasBraces(bare) ? null : words.join("")
}
