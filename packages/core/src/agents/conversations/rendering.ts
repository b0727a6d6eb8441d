import { questionTitle } from "../../work/headlines/question-title.ts"
import type { AgentEvent, ToolUse } from "../clis/protocol.ts"
import type { QuestionContent } from "../questions/schema.ts"
import { createVisibleText } from "./visible-text.ts"

const DIM = "\u001b[2m"
const BOLD = "\u001b[1m"
const RED = "\u001b[31m"
const GREEN = "\u001b[32m"
const YELLOW = "\u001b[33m"
const CYAN = "\u001b[36m"
const RESET = "\u001b[0m"

/** Creates a renderer that produces terminal text for an agent whose own output is a protocol. */
export function createRendering() {
  /** True if there is text in the cursor's line. */
  let inLine = false
  let message = ""
  const visible = createVisibleText()

  function render(event: AgentEvent): string {
    if (event.type === "text" || event.type === "thinking") return spoken(event)
    const line = lineOf(event)
    if (line === undefined) return ""
    const held = words(visible.end())
    const before = inLine ? "\r\n" : ""
    inLine = false
    return `${held}${before}${line}\r\n`
  }

  function spoken({ type, text, message: id }: Extract<AgentEvent, { type: "text" | "thinking" }>): string {
    const held = id === message && type === "text" ? "" : words(visible.end())
    const before = id !== message && inLine ? "\r\n" : ""
    message = id
    inLine &&= before === ""
    const plain = type === "text" ? visible.take(printable(text)) : printable(text)
    return `${held}${before}${words(plain, type === "thinking" ? DIM : "")}`
  }

  function words(text: string, style = ""): string {
    if (text === "") return ""
    inLine = !text.endsWith("\n")
    return `${style}${text.replaceAll("\n", "\r\n")}${RESET}`
  }

  return { render }
}

/** Returns the terminal line for a question that is waiting for a person. */
export function renderQuestion(question: QuestionContent): string {
  return `\r\n${YELLOW}?${RESET} ${BOLD}${firstLine(questionTitle(question))}${RESET} ${DIM}(waits for an answer)${RESET}\r\n`
}

function lineOf(event: Exclude<AgentEvent, { type: "text" | "thinking" }>): string | undefined {
  switch (event.type) {
    case "session":
      return `${DIM}session ${printable(event.id)}${event.model ? `, ${printable(event.model)}` : ""}${RESET}`
    case "tool_started":
      return `${CYAN}●${RESET} ${BOLD}${event.tool}${RESET} ${firstLine(subject(event))}`
    case "tool_finished":
      return event.ok ? undefined : `  ${RED}✗${RESET} ${DIM}${firstLine(event.summary)}${RESET}`
    case "retrying":
      return `${RED}retrying${RESET} ${DIM}${firstLine(event.problem.message)}${RESET}`
    case "notice":
      return `${DIM}${firstLine(event.text)}${RESET}`
    case "turn_completed":
      return `${GREEN}✓${RESET} turn completed`
    case "turn_failed":
      return `${RED}✗${RESET} ${firstLine(event.problem.message)}`
    default:
      return undefined
  }
}

function subject({ path, command, server, name, args }: ToolUse): string {
  return command ?? path ?? `${server ? `${server}/` : ""}${name}${args ? ` ${args}` : ""}`
}

function firstLine(text: string): string {
  const [first = "", ...more] = printable(text).trim().split("\n")
  return more.length > 0 ? `${first} …` : first
}

/** Removes control characters from model output, so that no escape sequences reach the terminal. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
}
