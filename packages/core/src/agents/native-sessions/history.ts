import { withoutSequences } from "../../text/terminal-sequences.ts"
import type { CliId } from "../clis/clis.ts"
import { asObject, asObjects, asText, isObject, type JsonObject, parseObject } from "../protocols/json-protocol.ts"
import { createLineSplitter } from "../protocols/line-splitter.ts"

/** Message of a native session, as far as people see it in a terminal. */
export interface PastMessage {
  role: "user" | "agent"
  text: string
}

/** Part of a transcript to read. A program may write any amount, such as images and copies of its requests. */
const TRANSCRIPT_BYTES = 8 * 1024 * 1024
const MAX_LINE_BYTES = 512 * 1024
const MAX_MESSAGES = 60
const MESSAGE_CHARS = 20_000

/**
 * Reads the newest messages of a session from its program's transcript, oldest first. Skips everything that can't be
 * parsed. `omitted` is true if there are older messages.
 */
export function readHistory(cli: CliId, transcript: Uint8Array): { messages: PastMessage[]; omitted: boolean } {
  const part = transcript.subarray(-TRANSCRIPT_BYTES)
  const isCut = part.length < transcript.length
  const messages = readMessages(cli, part)
  return { messages: messages.slice(-MAX_MESSAGES), omitted: isCut || messages.length > MAX_MESSAGES }
}

/** Returns the first words of a session as one line, from the beginning of its transcript. Null if there are none. */
export function titleOf(cli: CliId, head: Uint8Array): string | null {
  const first = readMessages(cli, head).find(({ role }) => role === "user")
  return first?.text.replace(/\s+/g, " ").trim().slice(0, TITLE_CHARS).toWellFormed() || null
}

const TITLE_CHARS = 200

function readMessages(cli: CliId, bytes: Uint8Array): PastMessage[] {
  const lines = createLineSplitter(MAX_LINE_BYTES)
  const found: Found[] = []
  for (const line of [...lines.push(bytes), ...lines.end()]) {
    const parsed = parseObject(line)
    if (!parsed) continue
    const { restart = false, messages } = READERS[cli]?.(parsed) ?? { messages: [] }
    if (restart) found.length = 0
    for (const message of messages) add(found, message)
  }
  return found.map(({ role, text }) => ({ role, text: shown(text) })).filter(({ text }) => text !== "")
}

interface Found extends PastMessage {
  /** ID under which the program writes a message again when it changes. */
  id?: string
}

/** Messages in a line of a transcript. With `restart`, they replace all earlier ones. */
interface LineContent {
  restart?: boolean
  messages: Found[]
}

/** Programs write a message again, with the same ID, when it has grown. Only the last message can grow. */
function add(found: Found[], message: Found): void {
  const last = found.at(-1)
  if (message.id !== undefined && last?.id === message.id) found.pop()
  found.push(message)
}

const readClaudeLine = (line: JsonObject): LineContent => ({
  messages: isAside(line) ? [] : spoken(line.type, asObject(line.message).content),
})

/** Readers for a line of a transcript, by program. Absent for programs whose sessions aren't stored as lines. */
const READERS: { [cli in CliId]?: (line: JsonObject) => LineContent } = {
  claude: readClaudeLine,
  mock: readClaudeLine,
  codex({ type, payload }) {
    const { type: kind, role, content } = asObject(payload)
    return { messages: type === "response_item" && kind === "message" ? spoken(role, content) : [] }
  },
  gemini(line) {
    const { $set } = line
    if (!isObject($set)) return { messages: geminiMessages([line]) }
    return "messages" in $set ? { restart: true, messages: geminiMessages(asObjects($set.messages)) } : { messages: [] }
  },
  qwen: ({ type, message }) => ({
    messages: spoken(
      type,
      asObjects(asObject(message).parts).filter(({ thought }) => thought !== true),
    ),
  }),
  vibe: ({ role, content, injected }) => ({ messages: injected === true ? [] : spoken(role, content) }),
}

/** True for messages that the terminal doesn't show as part of the conversation. */
function isAside({ isMeta, isSidechain, isCompactSummary, isApiErrorMessage }: JsonObject): boolean {
  return [isMeta, isSidechain, isCompactSummary, isApiErrorMessage].includes(true)
}

function geminiMessages(lines: JsonObject[]): Found[] {
  return lines.flatMap(({ type, content, id }) => spoken(type, content).map((one) => ({ ...one, id: asText(id) })))
}

const ROLES: { [role: string]: PastMessage["role"] } = { user: "user", assistant: "agent", gemini: "agent" }

/** Returns the message with this content: a text, or a list of blocks of which some contain text. */
function spoken(role: unknown, content: unknown): PastMessage[] {
  const who = Object.hasOwn(ROLES, asText(role)) ? ROLES[asText(role)] : undefined
  const texts = typeof content === "string" ? [content] : asObjects(content).map(({ text }) => asText(text))
  const text = texts.filter((one) => one !== "" && !(who === "user" && ADDED.test(one))).join("\n\n")
  return who === undefined || text === "" ? [] : [{ role: who, text }]
}

/** Beginning of a text that a program adds to a person's messages. */
const ADDED =
  /^\s*(?:<(?:command-\w+|local-command-\w+|bash-\w+|system-reminder|task-notification|environment_context|user_instructions|skills_instructions|permissions instructions|turn_aborted|session_context)\b|# AGENTS\.md instructions|Caveat: The messages below)/

// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

/** Returns a text for people: without control characters, and of limited length. */
function shown(text: string): string {
  return withoutSequences(text.slice(0, MESSAGE_CHARS)).replace(CONTROLS, "").trim().toWellFormed()
}
