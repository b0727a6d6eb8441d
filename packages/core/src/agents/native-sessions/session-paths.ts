import { parseJson } from "../../text/parse-json.ts"

/** Returns the folder name that Claude Code and Qwen Code use for a project's sessions. It is derived from its path. */
export function projectFolderName(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9]/g, "-")
}

/** Returns the UUID in a file name. Undefined if there is none. */
export function uuidIn(name: string): string | undefined {
  return UUID.exec(name)?.[0]
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/**
 * Returns the working folder in the beginning of a program's record, even if that ends within a line. Undefined if
 * there is none. Quotes in a person's text are escaped, so their text can't contain the field.
 */
export function workingFolderIn(head: string): string | undefined {
  const value = /"(?:cwd|working_directory)":\s?("(?:[^"\\]|\\.)*")/.exec(head)?.[1]
  const folder = value === undefined ? undefined : parseJson(value)
  return typeof folder === "string" ? folder : undefined
}
