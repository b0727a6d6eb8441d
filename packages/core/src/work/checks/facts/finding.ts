/** The rules that a check can find broken. */
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

/** One fault of a file, in words by which whoever wrote it can mend it. The message names the line itself, where there is one. */
export interface Finding {
  path: string
  /** From 1. */
  line?: number
  rule: Rule
  message: string
}

/** A fault before it is known of which file it is. */
export type Fault = Omit<Finding, "path">

/** A fault in a line, whose number begins the message. */
export function faultAt(line: number, rule: Rule, message: string): Fault {
  return { line, rule, message: `Line ${line}: ${message}` }
}

/** The number of the line, from 1, in which a character stands. */
export function lineAt(text: string, index: number): number {
  let line = 1
  for (let end = text.indexOf("\n"); end >= 0 && end < index; end = text.indexOf("\n", end + 1)) line++
  return line
}
