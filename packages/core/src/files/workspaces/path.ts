import { AppError } from "../../errors.ts"

declare const checked: unique symbol

/**
 * A relative path that can't leave its workspace, with `/` between its segments. Only `workspacePath` makes one.
 *
 * It is taken letter by letter, as git does: neither case nor Unicode form is changed, so what was written is found again
 * under the name it was given. Two paths that differ in nothing else are two files here and on Linux, but one on a
 * Mac or on Windows, where unpacking the archive asks which of them to keep.
 */
export type WorkspacePath = string & { readonly [checked]: true }

const PATH_LIMIT_BYTES = 1024
const SEGMENT_LIMIT_BYTES = 255

/** The path that a caller means: outer white space aside, it is taken as it is or refused. */
export function workspacePath(input: string): WorkspacePath {
  const path = input.trim()
  const fault = faultOf(path)
  if (fault) throw new AppError("workspace_validation_error", `The path ${fault}.`, { path: input.slice(0, 256) })
  return path as WorkspacePath
}

/** Whether a path that was stored is still one that `workspacePath` would have made. */
export function isWorkspacePath(path: string): path is WorkspacePath {
  return path === path.trim() && faultOf(path) === undefined
}

function faultOf(path: string): string | undefined {
  if (path === "") return "is empty"
  if (!path.isWellFormed()) return "is not valid Unicode"
  // The two separators end a line for some readers, and one path is one line in what a model is shown.
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return "has a control character"
  if (path.includes("\\")) return "has a backslash"
  if (/^([/~]|[A-Za-z]:)/.test(path)) return "must be relative to the workspace"
  if (isLonger(path, PATH_LIMIT_BYTES)) return `is longer than ${PATH_LIMIT_BYTES} bytes`
  for (const segment of path.split("/")) {
    if (segment === "") return "has an empty segment"
    if (segment === "." || segment === "..") return `has a "${segment}" segment`
    if (isLonger(segment, SEGMENT_LIMIT_BYTES)) return `has a segment that is longer than ${SEGMENT_LIMIT_BYTES} bytes`
  }
}

/** Encodes only what could be: in UTF-8, a unit of UTF-16 takes at most three bytes. Browsers ask, too, and have no Buffer. */
function isLonger(text: string, limitBytes: number): boolean {
  return text.length * 3 > limitBytes && new TextEncoder().encode(text).length > limitBytes
}
