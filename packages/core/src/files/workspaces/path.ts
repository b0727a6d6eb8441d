import { AppError } from "../../errors.ts"
import { trimEndWhere } from "../../trim.ts"
import { isAscii } from "./twins.ts"

declare const checked: unique symbol

/**
 * A relative path that can't leave its workspace, with `/` between its segments. Only `workspacePath` makes one.
 *
 * It is compared byte by byte, as git does: neither case nor Unicode form is changed, so a file is found again under the name
 * with which it was written. Of two paths that differ only in their form a workspace has one, as a Mac does. Two that differ
 * in case are two files here and on Linux, but one on a Mac or on Windows, where unpacking the archive says so.
 */
export type WorkspacePath = string & { readonly [checked]: true }

const PATH_LIMIT_BYTES = 1024
const SEGMENT_LIMIT_BYTES = 255

/** Orders files by their paths. Not beside the manifest's schema, which a browser has no use for. */
export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1
}

/** The validated path of a caller: trimmed, and otherwise unchanged or refused. */
export function workspacePath(input: string): WorkspacePath {
  const path = input.trim()
  const fault = pathProblem(path)
  if (fault) throw new AppError("workspace_validation_error", `The path ${fault}.`, { path: input.slice(0, 256) })
  return path as WorkspacePath
}

/** The validated path of a caller, or undefined where it is refused. */
export function workspacePathIfValid(input: string): WorkspacePath | undefined {
  const path = input.trim()
  return isWorkspacePath(path) ? path : undefined
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
    if (isDevice(segment)) return `has a "${segment}" segment, which is a device on Windows`
    if (hasAsciiForm(segment)) return "has a character that is another one in a different Unicode form"
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

/**
 * Whether Windows takes a name for a device, whatever follows the first dot. Git for Windows refuses to check out the same
 * ones: `is_valid_win32_path` in its compat/mingw.c.
 */
function isDevice(segment: string): boolean {
  const [name = ""] = segment.split(/[.:]/, 1)
  return /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])$/i.test(trimmedEnd(name))
}

/** The sign for kelvin, say, which is a K in every form of Unicode but its own. */
function hasAsciiForm(segment: string): boolean {
  if (isAscii(segment)) return false
  return [...segment].some((sign) => !isAscii(sign) && isAscii(sign.normalize("NFC")))
}

const trimmedEnd = (name: string) => trimEndWhere(name, (char) => char === "." || char === " ")

/** Encodes only what could be: in UTF-8, a unit of UTF-16 takes at most three bytes. Browsers ask, too, and have no Buffer. */
function isLonger(text: string, limitBytes: number): boolean {
  return text.length * 3 > limitBytes && new TextEncoder().encode(text).length > limitBytes
}
