import { parseJson } from "../../text/parse-json.ts"
import type { AgentEvent, Parsed, Protocol } from "../clis/protocol.ts"
import { createLineSplitter } from "./line-splitter.ts"

/** JSON object from a CLI. Any field may be missing or have an unexpected type. */
export type JsonObject = { [field: string]: unknown }

/** Events and objects to send in response to one message. Usually empty, because CLIs send more than we need. */
export interface Reply {
  events?: AgentEvent[]
  send?: object[]
}

/**
 * Creates the protocol for a CLI that prints one JSON object per line. Skips other lines, such as launcher warnings.
 */
export function jsonProtocol(
  handlers: Omit<Protocol, "open" | "parse" | "flush"> & { open(): object[]; onMessage(message: JsonObject): Reply },
): Protocol {
  const { open, onMessage, ...rest } = handlers
  const lines = createLineSplitter()
  const parseAll = (texts: string[]): Parsed => {
    const replies = texts.map(parseObject).map((message) => (message ? onMessage(message) : {}))
    return {
      events: replies.flatMap(({ events = [] }) => events),
      send: replies.flatMap(({ send = [] }) => send.map(line)).join(""),
    }
  }
  return {
    ...rest,
    open: () => open().map(line).join(""),
    parse: (bytes) => parseAll(lines.push(bytes)),
    flush: () => parseAll(lines.end()),
  }
}

/** Explains that a program isn't running in the mode that it was started with. */
export function modeMismatch(wanted: string, reported: string): string {
  return `The agent reports ${JSON.stringify(reported)} as its permission mode instead of ${JSON.stringify(wanted)}. It was stopped, because it might act without asking.`
}

/** Returns a message as a line for a CLI to read. */
export function line(message: object): string {
  return `${JSON.stringify(message)}\n`
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function asObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function asNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Parses the message on a line. Undefined if the line isn't a JSON object. */
export function parseObject(line: string): JsonObject | undefined {
  const value = line.trimStart().startsWith("{") ? parseJson(line) : undefined
  return isObject(value) ? value : undefined
}
