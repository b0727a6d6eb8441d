import { AppError } from "../../errors.ts"
import { trimEndWhere } from "../../text/trim.ts"
import { isAscii } from "./twins.ts"

declare const checked: unique symbol

/**
 * A relative path that can't leave its workspace, with `/` between segments. Only `workspacePath` creates such paths.
 * They are compared bytewise, as in git: case and Unicode form matter, and a file is found only under the name with
 * which it was written. A workspace can't contain two paths that differ only in Unicode form, because they would be the
 * same file on a Mac. Paths that differ in case are separate files here and on Linux, but the same file on a Mac or
 * Windows. When an archive is unpacked there, the clash is reported.
 */
export type WorkspacePath = string & { readonly [checked]: true }

const PATH_LIMIT_BYTES = 1024
const SEGMENT_LIMIT_BYTES = 255

/** Compares files by path. This isn't in the file of the manifest's schema, because browsers don't need the schema. */
export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : 1
}

/**
 * Returns a caller's path, trimmed but otherwise unchanged. Throws `workspace_validation_error` if the path is invalid.
 */
export function workspacePath(input: string): WorkspacePath {
  const path = input.trim()
  const fault = pathProblem(path)
  if (fault) throw new AppError("workspace_validation_error", `The path ${fault}.`, { path: input.slice(0, 256) })
  return path as WorkspacePath
}

/** Returns a caller's path, trimmed, or undefined if the path is invalid. */
export function workspacePathIfValid(input: string): WorkspacePath | undefined {
  const path = input.trim()
  return isWorkspacePath(path) ? path : undefined
}

/** True if `workspacePath` would return this path unchanged. */
export function isWorkspacePath(path: string): path is WorkspacePath {
  return pathProblem(path) === undefined
}

/**
 * Describes the problem with a path, in words that continue a sentence that begins with "The path". Undefined if the
 * path is valid.
 */
export function pathProblem(path: string): string | undefined {
  if (path === "") return "is empty"
  if (path !== path.trim()) return "begins or ends with white space"
  if (!path.isWellFormed()) return "is not valid Unicode"
  // Some programs treat these separators as line ends, but a model must see one path per line.
  if (/[\p{Cc}\u2028\u2029]/u.test(path)) return "contains a control character"
  if (path.includes("\\")) return "contains a backslash"
  if (/^[/~]/.test(path)) return "must be relative to the workspace"
  if (/^[A-Za-z]:/.test(path)) return `begins with "${path.slice(0, 2)}", which is a drive on Windows`
  if (isLonger(path, PATH_LIMIT_BYTES)) return `is longer than ${PATH_LIMIT_BYTES} bytes`
  for (const segment of path.split("/")) {
    if (segment === "") return "has an empty segment"
    if (segment === "." || segment === "..") return `has a "${segment}" segment`
    if (isGitFolder(segment)) return `has a "${segment}" segment, which git would treat as its own folder`
    if (isDevice(segment)) return `has a "${segment}" segment, which is a device name on Windows`
    if (hasAsciiForm(segment)) return "contains a character that normalises to ASCII"
    if (isLonger(segment, SEGMENT_LIMIT_BYTES)) return `has a segment that is longer than ${SEGMENT_LIMIT_BYTES} bytes`
  }
}

/** Characters that a Mac's file system ignores in names. Taken from `next_hfs_char` in git's utf8.c. */
const PASSED_OVER = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * True if git on some system would treat the name as its own folder. Content of such a folder could run programs after
 * the archive is unpacked. Like `verify_path` in git's read-cache.c, ignores case, the characters that a Mac ignores
 * and, for Windows, short names, trailing dots and spaces, and stream names.
 */
function isGitFolder(segment: string): boolean {
  const name = segment.replace(PASSED_OVER, "").toLowerCase()
  const [file = ""] = name.split(":")
  const bare = trimmedEnd(file)
  return bare === ".git" || bare === "git~1"
}

/**
 * True if Windows treats the name as a device, regardless of what follows the first dot. Git for Windows rejects the
 * same names (`is_valid_win32_path` in its compat/mingw.c).
 */
function isDevice(segment: string): boolean {
  const [name = ""] = segment.split(/[.:]/, 1)
  return /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])$/i.test(trimmedEnd(name))
}

/** True if a character normalises to ASCII, as the kelvin sign normalises to K. */
function hasAsciiForm(segment: string): boolean {
  if (isAscii(segment)) return false
  return [...segment].some((sign) => !isAscii(sign) && isAscii(sign.normalize("NFC")))
}

const trimmedEnd = (name: string) => trimEndWhere(name, (char) => char === "." || char === " ")

/**
 * True if the text is longer than the limit in UTF-8. A UTF-16 unit takes at most three bytes, so the text is encoded
 * only if necessary. Doesn't use Buffer, because browsers don't have it.
 */
function isLonger(text: string, limitBytes: number): boolean {
  return text.length * 3 > limitBytes && new TextEncoder().encode(text).length > limitBytes
}
