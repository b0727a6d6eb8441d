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

export function row(who: Headline["who"], text: string, meta: string[] = []): Headline {
  return { who, severity: "info", text, meta }
}

/** Returns a headline that only the details show. */
export function debug(who: Headline["who"], text: string, meta: string[] = []): Headline {
  return { who, severity: "debug", text, meta }
}

/** Returns a field, or undefined if it was too large for its event. */
export function inlined<T>(field: T): Exclude<T, PayloadRef> | undefined {
  const isRef = typeof field === "object" && field !== null && "sha256" in field && "key" in field
  return isRef ? undefined : (field as Exclude<T, PayloadRef>)
}
