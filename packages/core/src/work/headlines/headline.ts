import type { PayloadRef } from "../../log/event.ts"
import type { NodeName } from "../workflow/schema.ts"

/** An event as text. Like the event's own texts it is untrusted, so each reader escapes it. */
export interface Headline {
  who: NodeName | "system" | "agent" | "you"
  severity: "info" | "success" | "warn" | "error" | "debug"
  text: string
  /** Short facts next to the text, such as a duration. */
  meta: string[]
  /** A second sentence: a remedy, or a further problem. */
  hint?: string
}

const ofSeverity =
  (severity: Headline["severity"]) =>
  (who: Headline["who"], text: string, meta: string[] = [], hint?: string): Headline => {
    return { who, severity, text, meta, ...(hint && { hint }) }
  }

export const row = ofSeverity("info")
export const success = ofSeverity("success")
export const warning = ofSeverity("warn")
export const failure = ofSeverity("error")
/** Returns a headline that only the details show. */
export const debug = ofSeverity("debug")

/** Returns the first line of a text, without spaces before it. */
export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? ""
}

/** Returns a field, or undefined if it was too large for its event. */
export function inlined<T>(field: T): Exclude<T, PayloadRef> | undefined {
  const isRef = typeof field === "object" && field !== null && "sha256" in field && "key" in field
  return isRef ? undefined : (field as Exclude<T, PayloadRef>)
}
