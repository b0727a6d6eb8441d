import type { NodeName } from "@switchyard/core/work/workflow/schema"

export type Severity = "info" | "success" | "warn" | "error" | "debug"

/** One line of the log, as a person reads it. */
export interface LogRow {
  who: NodeName | "system" | "agent" | "you"
  severity: Severity
  text: string
  meta: string[]
  hint?: string
}

export function row(who: LogRow["who"], text: string, meta: string[]): LogRow {
  return { who, severity: "info", text, meta }
}

/** A line for those who want the details. */
export function debug(who: LogRow["who"], text: string, meta: string[]): LogRow {
  return { who, severity: "debug", text, meta }
}

export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`
}
