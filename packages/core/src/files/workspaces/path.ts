import { AppError } from "../../errors.ts"

declare const checked: unique symbol

/**
 * A relative path that can't leave its workspace, with `/` between its segments. Only `workspacePath` makes one.
 *
 * It is compared byte by byte, as git does: neither case nor Unicode form is changed, so a file is found again under the name
 * with which it was written. Two paths that differ in nothing else are two files here and on Linux, but one on a
 * Mac or on Windows, where unpacking the archive asks which of them to keep.
 */
export type WorkspacePath = string & { readonly [checked]: true }

const PATH_LIMIT_BYTES = 1024
const SEGMENT_LIMIT_BYTES = 255

/** The validated path of a caller: trimmed, and otherwise unchanged or refused. */
export function workspacePath(input: string): WorkspacePath {
  const path = input.trim()
  const fault = pathProblem(path)
  if (fault) throw new AppError("workspace_validation_error", `The path ${fault}.`, { path: input.slice(0, 256) })
  return path as WorkspacePath
}

/** Whether a path that was stored is still one that `workspacePath` would have made. */
export function isWorkspacePath(path: string): path is WorkspacePath {
  return path === path.trim() && pathProblem(path) === undefined
}

function pathProblem(path: string): string | undefined {
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
    if (isGitFolder(segment)) return `has a "${segment}" segment, which git would take for its own folder`
    if (isLonger(segment, SEGMENT_LIMIT_BYTES)) return `has a segment that is longer than ${SEGMENT_LIMIT_BYTES} bytes`
  }
}

/** Signs that a Mac's file system passes over in a name. The list is that of `next_hfs_char` in git's utf8.c. */
const PASSED_OVER = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether some system's git takes a name for its folder: whatever lies in it could run programs on the machine where the
 * archive is unpacked. In any case, on a Mac with signs that it passes over, and on Windows by the short name, with dots and
 * blanks at the end, or with a stream's name, as `verify_path` in git's read-cache.c has it.
 */
function isGitFolder(segment: string): boolean {
  const name = segment.replace(PASSED_OVER, "").toLowerCase()
  const [file = ""] = name.split(":")
  const bare = trimmedEnd(file)
  return bare === ".git" || bare === "git~1"
}

/** Without dots and blanks at its end: by hand, for the expression would take the square of their number. */
function trimmedEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === "." || text[end - 1] === " ")) end--
  return text.slice(0, end)
}

/** Encodes only what could be: in UTF-8, a unit of UTF-16 takes at most three bytes. Browsers ask, too, and have no Buffer. */
function isLonger(text: string, limitBytes: number): boolean {
  return text.length * 3 > limitBytes && new TextEncoder().encode(text).length > limitBytes
}
