import { demoOffer } from "@switchyard/core/models/demo-offer"
import type { Message, ModelRequest } from "@switchyard/core/models/provider"
import { editAnswer } from "./chat-edits.ts"
import { MAX_LINE_CHARS, pathIn, readShown, type Shown } from "./chat-shown.ts"

/** Answers a chat message by fixed rules, using the request's files and map. Introduces itself if no rule matches. */
export function chatAnswer(request: ModelRequest): string {
  const question = lastQuestion(request.messages)
  const shown = readShown(request)
  for (const rule of RULES) {
    const answer = rule(question, shown)
    if (answer !== undefined) return answer
  }
  return introduction(shown)
}

/** Maximum length of a question. All rules match short sentences. */
const MAX_QUESTION_CHARS = 500

function lastQuestion(messages: readonly Message[]): string {
  return (messages.findLast(({ role }) => role === "user")?.content ?? "").slice(0, MAX_QUESTION_CHARS)
}

type Rule = (question: string, shown: Shown) => string | undefined

const RULES: Rule[] = [whereIs, whatImports, whatIsIn, editAnswer, howToRun, whichFiles]

function introduction({ paths }: Shown): string {
  const [first = "src/app.ts"] = paths
  return `I am Switchyard's scripted demo model: I answer by fixed rules and don't understand anything. In this chat, I can

- say where something is declared: *Where is \`main\` defined?*
- list what a file imports or declares: *What does \`${first}\` import?*
- make small edits in files that you select: *Rename \`a\` to \`b\` in \`${first}\`*, *Replace "x" with "y" in \`${first}\`*
- create a file: *Create \`notes.md\` with "Hello"*

${demoOffer}`
}

/** Matches "Where is X defined?" */
function whereIs(question: string, { symbols }: Shown): string | undefined {
  const [, name] =
    /\bwhere(?:'s| is| are| was)?\b[^`\w]*`?([\w$.]+)`?\s*(?:\(\))?\s*(?:defined|declared|implemented|\?|$)/i.exec(
      question,
    ) ?? []
  if (!name) return undefined
  const found = symbols.filter((symbol) => namesIn(symbol.signature).has(name))
  if (found.length === 0) return `I can't find a declaration of \`${name}\` in the map of this codebase.`
  const lines = found.slice(0, 10).map(({ path, line, signature }) => {
    return `- ${path}${line === null ? "" : `, line ${line}`}: \`${signature}\``
  })
  const is = found.length === 1 ? "It is declared once" : `It is declared ${found.length} times`
  return `${is}:\n\n${lines.join("\n")}`
}

function namesIn(signature: string): ReadonlySet<string> {
  return new Set(signature.match(/[\w$]+/g) ?? [])
}

/** Matches "What does Y import?" */
function whatImports(question: string, shown: Shown): string | undefined {
  if (!/\bimports?\b/i.test(question)) return undefined
  const path = pathIn(question, shown)
  if (!path) return undefined
  const text = shown.files.get(path)
  const imports = text === undefined ? shown.imports.get(path) : importsOf(text)
  if (!imports) return `I haven't been shown ${path}. Select it, and ask me again.`
  if (imports.length === 0) return `${path} doesn't import anything.`
  return `${path} imports:\n\n${imports.map((name) => `- \`${name}\``).join("\n")}`
}

/** Patterns for an import in a line. Longer lines are truncated. */
const IMPORTS = [
  /^\s*(?:import|export)\b[^"']*?from\s+["']([^"']+)["']/,
  /^\s*import\s+["']([^"']+)["']/,
  /\brequire\(["']([^"']+)["']\)/,
  /^\s*from\s+([\w.]+)\s+import\b/,
  /^\s*import\s+([\w.]+)\s*$/,
  /^\s*#include\s+[<"]([^>"]+)[>"]/,
  /<script[^>]*\bsrc="([^"]+)"/,
]

function importsOf(text: string): string[] {
  const found = text.split("\n").flatMap((whole) => {
    const line = whole.slice(0, MAX_LINE_CHARS)
    return IMPORTS.flatMap((form) => form.exec(line)?.[1] ?? [])
  })
  return [...new Set(found)]
}

/** Matches "What is in Y?" and "What does Y do?" */
function whatIsIn(question: string, shown: Shown): string | undefined {
  if (!/\b(what(?:'s| is| does)|show|explain|describe|outline|declares?)\b/i.test(question)) return undefined
  const path = pathIn(question, shown)
  if (!path) return undefined
  const declared = shown.symbols.filter((symbol) => symbol.path === path)
  const lines = shown.files.get(path)?.trimEnd().split("\n").length
  const size = lines === undefined ? "" : ` has ${lines} lines and`
  if (declared.length === 0) return `${path}${size} declares nothing that the map knows.`
  const list = declared.slice(0, 20).map(({ line, signature }) => {
    return `- ${line === null ? "" : `line ${line}: `}\`${signature}\``
  })
  return `${path}${size} declares:\n\n${list.join("\n")}`
}

/** Matches "How do I run this?" */
function howToRun(question: string, { paths }: Shown): string | undefined {
  if (!/\b(run|start|test|build|install)\b/i.test(question)) return undefined
  const command = /\btests?\b/i.test(question) ? "test" : "start"
  if (paths.includes("package.json"))
    return `It has a package.json, so this should work:\n\n\`\`\`bash\nnpm ${command}\n\`\`\``
  if (paths.some((path) => path.endsWith(".py"))) {
    return `It is Python. Its tests run with:\n\n\`\`\`bash\npython -m unittest\n\`\`\``
  }
  return undefined
}

function whichFiles(question: string, { paths }: Shown): string | undefined {
  if (!/\b(files?|structure|overview|codebase|project|repository)\b/i.test(question)) return undefined
  if (paths.length === 0)
    return "This session has no files yet. Ask me to create one, or build a project on the first page."
  const list = paths.slice(0, 25).map((path) => `- ${path}`)
  const more = paths.length > 25 ? `\n\nand ${paths.length - 25} more.` : ""
  return `It has ${paths.length === 1 ? "one file" : `${paths.length} files`}:\n\n${list.join("\n")}${more}`
}

/** Summarises a conversation by listing its questions. Never reports a topic boundary. */
export function topicAnswer(conversation: string): string {
  const questions = [...conversation.matchAll(/^\[\d+\] USER: (.*)$/gm)].map(
    ([, text = ""]) => `- ${text.slice(0, 200)}`,
  )
  return JSON.stringify({ boundary: null, confidence: 0, summary: `The person said:\n${questions.join("\n")}` })
}
