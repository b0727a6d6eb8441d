/** Rules that the checks apply. */
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

/** A fault in a file. The message tells the file's author what to fix, and includes the line if it is known. */
export interface Finding {
  path: string
  /** 1-based line number. */
  line?: number
  rule: Rule
  message: string
}

/** A fault without its file, which isn't known yet. */
export type Fault = Omit<Finding, "path">

/** Creates a fault whose message starts with the line number. */
export function faultAt(line: number, rule: Rule, message: string): Fault {
  return { line, rule, message: `Line ${line}: ${message}` }
}

const MAX_SHOWN_CHARS = 60

/** Returns the first line of a text, shortened so that it can be quoted in a message. */
export function quoted(text: string): string {
  return text.trim().split("\n", 1)[0]?.slice(0, MAX_SHOWN_CHARS) ?? ""
}

/** Returns the 1-based line number of the character at `index`. */
export function lineAt(text: string, index: number): number {
  let line = 1
  for (let end = text.indexOf("\n"); end >= 0 && end < index; end = text.indexOf("\n", end + 1)) line++
  return line
}
