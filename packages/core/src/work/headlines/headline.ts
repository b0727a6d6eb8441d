import type { PayloadRef } from "../../log/event.ts"
import type { NodeName } from "../workflow/schema.ts"

/** An event in words. Its texts are as hostile as whatever wrote the event: each reader escapes them. */
export interface Headline {
  who: NodeName | "system" | "agent" | "you"
  severity: "info" | "success" | "warn" | "error" | "debug"
  text: string
  /** Short facts beside the text, such as a duration. */
  meta: string[]
  /** A sentence more: what to do about it, or what else is wrong. */
  hint?: string
}

export function row(who: Headline["who"], text: string, meta: string[] = []): Headline {
  return { who, severity: "info", text, meta }
}

/** A headline for those who want the details. */
export function debug(who: Headline["who"], text: string, meta: string[] = []): Headline {
  return { who, severity: "debug", text, meta }
}

export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`
}

/** 420 ms, 4.2 s, 2 min 14 s */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`
}

/** 812 B, 3.1 KB, 2.4 MB */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`
  if (size < 1_000_000) return `${(size / 1000).toFixed(1)} KB`
  return `${(size / 1_000_000).toFixed(1)} MB`
}

/** A field that may have been too large for its event; undefined if it was. */
export function inlined<T>(field: T): Exclude<T, PayloadRef> | undefined {
  const isRef = typeof field === "object" && field !== null && "sha256" in field && "key" in field
  return isRef ? undefined : (field as Exclude<T, PayloadRef>)
}
