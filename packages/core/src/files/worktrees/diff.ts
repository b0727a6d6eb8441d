import { AppError } from "../../errors.ts"
import { createTextReader, type Lines, linesOf, type TextReader } from "./byte-lines.ts"
import { type DiffHeader, openHeader, readHeaderLine } from "./diff-header.ts"
import type { DiffFile, DiffHunk, DiffLine } from "./diff-schema.ts"

/**
 * Parses the output of `git diff`. Lines are counted by the numbers in the hunk headers, so files may contain any text,
 * even a diff. Throws `invalid_request` for other input, and for diffs of merges, which have more than two sides. If a
 * file became a symlink or vice versa, git lists it twice: as deleted and as new.
 */
export function parseDiff(bytes: Uint8Array): DiffFile[] {
  const lines = linesOf(bytes)
  const files: DiffFile[] = []
  // Skip lines before the first file, such as a commit header.
  while (lines.peek() && !startsFile(lines)) lines.take()
  while (lines.peek()) files.push(readFile(lines))
  return files
}

const isMode = (mode: string) => (value: string | null) => value === mode
const isGitlink = isMode("160000")

function readFile(lines: Lines): DiffFile {
  const text = createTextReader()
  const header = openHeader(text.read(lines.take() ?? new Uint8Array()))
  const hunks: DiffHunk[] = []
  let isBinary = false
  for (let line = lines.peek(); line && !startsFile(lines); line = lines.peek()) {
    if (startsWith(line, "@@ ")) hunks.push(readHunk(lines, text))
    else if (startsWith(line, "GIT binary patch")) isBinary = readBinaryPatch(lines)
    else if (startsWith(line, "Binary files ") && hunks.length === 0) isBinary = lines.take() !== undefined
    else if (hunks.length === 0) readHeaderLine(header, text.read(lines.take() ?? line))
    // Skip other lines, such as the mailer's signature after the last hunk of a mailed patch.
    else lines.take()
  }
  return toDiffFile(header, hunks, { isBinary, isUtf8: text.isUtf8() })
}

function startsFile(lines: Lines): boolean {
  const line = lines.peek()
  if (!line) return false
  if (startsWith(line, "diff --cc ") || startsWith(line, "diff --combined ")) {
    throw malformed("is a merge diff, with more than two sides")
  }
  return startsWith(line, "diff --git ")
}

function toDiffFile(header: DiffHeader, hunks: DiffHunk[], found: { isBinary: boolean; isUtf8: boolean }): DiffFile {
  const count = (type: DiffLine["type"]) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.type === type).length, 0)
  return {
    old_path: header.oldPath,
    new_path: header.newPath,
    is_new: header.isNew,
    is_deleted: header.isDeleted,
    is_renamed: header.isRenamed,
    is_copied: header.isCopied,
    is_binary: found.isBinary,
    is_submodule: isGitlink(header.oldMode) || isGitlink(header.newMode),
    old_mode: header.oldMode,
    new_mode: header.newMode,
    additions: found.isBinary ? null : count("add"),
    deletions: found.isBinary ? null : count("delete"),
    marks: found.isUtf8 ? [] : ["not_utf8"],
    hunks,
  }
}

const SPACE = 0x20
const PLUS = 0x2b
const MINUS = 0x2d
const BACKSLASH = 0x5c

function readHunk(lines: Lines, text: TextReader): DiffHunk {
  const hunk = readHunkHead(text.read(lines.take() ?? new Uint8Array()))
  let oldLine = hunk.old_start
  let newLine = hunk.new_start
  const oldEnd = oldLine + hunk.old_count
  const newEnd = newLine + hunk.new_count
  while (oldLine < oldEnd || newLine < newEnd || startsWith(lines.peek(), "\\")) {
    const line = lines.take()
    if (!line) throw malformed("ends in the middle of a hunk")
    // An empty line is an empty context line, because some tools remove its space along with other trailing whitespace.
    const type = line[0] ?? SPACE
    const content = text.read(line.subarray(1))
    if (type === BACKSLASH) hunk.lines.push({ type: "no_newline", content: content.trim() })
    else if (type === PLUS) hunk.lines.push({ type: "add", content, new_line: newLine++ })
    else if (type === MINUS) hunk.lines.push({ type: "delete", content, old_line: oldLine++ })
    else if (type === SPACE) hunk.lines.push({ type: "context", content, old_line: oldLine++, new_line: newLine++ })
    else throw malformed("has a hunk with an invalid line")
    if (oldLine > oldEnd || newLine > newEnd) throw malformed("has a hunk that is longer than its header says")
  }
  return hunk
}

function readHunkHead(line: string): DiffHunk {
  const found = /^@@ -(\d{1,15})(?:,(\d{1,15}))? \+(\d{1,15})(?:,(\d{1,15}))? @@(?: (.*))?$/s.exec(line)
  if (!found) throw malformed("has a hunk without line numbers")
  const [, oldStart = "", oldCount = "1", newStart = "", newCount = "1", section = ""] = found
  return {
    old_start: Number(oldStart),
    old_count: Number(oldCount),
    new_start: Number(newStart),
    new_count: Number(newCount),
    section,
    lines: [],
  }
}

/** Skips both encoded halves of a binary patch. Each half ends with an empty line. */
function readBinaryPatch(lines: Lines): true {
  lines.take()
  while (startsWith(lines.peek(), "literal ") || startsWith(lines.peek(), "delta ")) {
    while (lines.take()?.length);
  }
  return true
}

function startsWith(line: Uint8Array | undefined, prefix: string): boolean {
  if (!line || line.length < prefix.length) return false
  for (let index = 0; index < prefix.length; index++) if (line[index] !== prefix.charCodeAt(index)) return false
  return true
}

function malformed(reason: string): AppError {
  return new AppError("invalid_request", `The diff ${reason}.`)
}
