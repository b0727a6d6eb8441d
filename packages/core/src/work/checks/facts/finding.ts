/** Rules that a check can find violated. */
export type Rule =
  | "empty_file"
  | "markdown_fence"
  | "not_text"
  | "placeholder"
  | "shrunk"
  | "stray_text"
  | "syntax"
  | "missing_import"
  | "missing_export"
  | "undeclared_package"
  | "missing_script"
  | "missing_file"
  | "missing_id"
  | "missing_class"
  | "duplicate_id"
  | "module_kind"
  | "missing_function"
  | "missing_name"
  | "missing_return"
  | "duplicate_key"
  | "unreached_file"
  | "changed_constant"

/** A fault of a file, worded so that its author can fix it. The message includes the line, if any. */
export interface Finding {
  path: string
  /** From 1. */
  line?: number
  rule: Rule
  message: string
}

/** A fault before its file is known. */
export type Fault = Omit<Finding, "path">

/** Creates a fault in a line, whose number begins the message. */
export function faultAt(line: number, rule: Rule, message: string): Fault {
  return { line, rule, message: `Line ${line}: ${message}` }
}

const MAX_SHOWN_CHARS = 60

/** Returns the first line of a text as a message quotes it. */
export function quoted(text: string): string {
  return text.trim().split("\n", 1)[0]?.slice(0, MAX_SHOWN_CHARS) ?? ""
}

/** Returns the line number of a character, from 1. */
export function lineAt(text: string, index: number): number {
  let line = 1
  for (let end = text.indexOf("\n"); end >= 0 && end < index; end = text.indexOf("\n", end + 1)) line++
  return line
}
