import type { PayloadRef } from "../../log/event.ts"
import type { NodeName } from "../workflow/schema.ts"

/** An event in words. Its texts are untrusted, as those of the event are: each reader escapes them. */
export interface Headline {
  who: NodeName | "system" | "agent" | "you"
  severity: "info" | "success" | "warn" | "error" | "debug"
  text: string
  /** Short facts beside the text, such as a duration. */
  meta: string[]
  /** A second sentence: a remedy, or a further problem. */
  hint?: string
}

export function row(who: Headline["who"], text: string, meta: string[] = []): Headline {
  return { who, severity: "info", text, meta }
}

/** A headline that only the details show. */
export function debug(who: Headline["who"], text: string, meta: string[] = []): Headline {
  return { who, severity: "debug", text, meta }
}

/** A field that may have been too large for its event; undefined if it was. */
export function inlined<T>(field: T): Exclude<T, PayloadRef> | undefined {
  const isRef = typeof field === "object" && field !== null && "sha256" in field && "key" in field
  return isRef ? undefined : (field as Exclude<T, PayloadRef>)
}
