import type { AgentEvent, Dialogue, Heard } from "./cli.ts"
import { createLines } from "./line-splitter.ts"

/** A JSON object as a CLI sent it: any of its fields may be missing, or something else. */
export type Message = { [field: string]: unknown }

/** The meaning of one message. None, for most: a CLI sends more than anyone asked for. */
export interface Said {
  events?: AgentEvent[]
  send?: object[]
}

/**
 * The conversation with a CLI that speaks one JSON object a line. Lines that are none are left alone: launchers and
 * runtimes put warnings of theirs between.
 */
export function jsonDialogue(
  conversation: Omit<Dialogue, "open" | "hear" | "end"> & { open(): object[]; hear(message: Message): Said },
): Dialogue {
  const lines = createLines()
  const hearAll = (texts: string[]): Heard => {
    const said = texts.map(parseObject).map((message) => (message ? conversation.hear(message) : {}))
    return { events: said.flatMap(({ events = [] }) => events), send: ndjson(said.flatMap(({ send = [] }) => send)) }
  }
  return {
    ...conversation,
    open: () => ndjson(conversation.open()),
    hear: (bytes) => hearAll(lines.push(bytes)),
    end: () => hearAll(lines.end()),
  }
}

function ndjson(messages: object[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join("")
}

export function objectOf(value: unknown): Message {
  return isObject(value) ? value : {}
}

export function listOf(value: unknown): Message[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null
}

function isObject(value: unknown): value is Message {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function parseObject(line: string): Message | undefined {
  if (!line.trimStart().startsWith("{")) return undefined
  try {
    return objectOf(JSON.parse(line))
  } catch {
    // Not JSON after all, so not said in the protocol.
    return undefined
  }
}
