import type { PayloadRef } from "../../log/event.ts"
import type { NodeName } from "../workflow/schema.ts"

/** An event as text. It is as untrusted as the text in the event, so every consumer must escape it. */
export interface Headline {
  who: NodeName | "system" | "agent" | "you"
  severity: "info" | "success" | "warn" | "error" | "debug"
  text: string
  /** Short facts shown next to the text, such as a duration. */
  meta: string[]
  /** A second sentence, such as a remedy or another problem. */
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
/** Returns a headline shown only in the detailed view. */
export const debug = ofSeverity("debug")

/** Returns the first non-blank line of a text, without leading whitespace. */
export function firstLine(text: string): string {
  return text.trimStart().split("\n", 1)[0] ?? ""
}

/** Returns a field. Undefined if the field was too large for its event. */
export function inlined<T>(field: T): Exclude<T, PayloadRef> | undefined {
  const isRef = typeof field === "object" && field !== null && "sha256" in field && "key" in field
  return isRef ? undefined : (field as Exclude<T, PayloadRef>)
}
