import { unquotePath } from "../worktrees/git-quote.ts"
import type { AnswerPart, EditPart } from "./edit-blocks.ts"
import { withoutCarriage } from "./edit-markers.ts"
import { readProse, startOfProse } from "./prose.ts"

/**
 * Reads the patches in an answer that has no edit blocks. These are unified diffs in code fences, and the lines from
 * `*** Begin Patch` to `*** End Patch`. Each hunk becomes an edit, whose old lines must occur exactly once in the file.
 * Line numbers are ignored, because models often miscount. Returns the parts of the answer, and the number of patches
 * that couldn't be read.
 */
export function readPatches(answer: string): { parts: AnswerPart[]; unreadable: number } {
  const lines = answer.split("\n")
  const found = patchesIn(lines.map(withoutCarriage))
  const parts: AnswerPart[] = []
  const addText = (from: number, end: number) => {
    if (from < end) parts.push({ type: "text", text: lines.slice(from, end).join("\n") })
  }
  let at = 0
  for (const { from, end, edits } of found) {
    if (!edits) continue
    addText(at, from)
    parts.push(...edits)
    at = end + 1
  }
  addText(at, lines.length)
  return { parts, unreadable: found.filter(({ edits }) => !edits).length }
}

/** Range of lines of a patch in an answer. `edits` is undefined if the patch can't be read. */
interface FoundPatch {
  from: number
  end: number
  edits: EditPart[] | undefined
}

const BEGIN = "*** Begin Patch"
const END = "*** End Patch"

/** Finds patches outside of thoughts and quotations. A patch in a code fence must be the fence's only content. */
function patchesIn(lines: readonly string[]): FoundPatch[] {
  let found: FoundPatch[] = []
  const nextEnd = createEndFinder(lines)
  let prose = startOfProse
  for (let at = 0; at < lines.length; at++) {
    const before = prose
    const line = lines[at] ?? ""
    const read = readProse(before, line)
    prose = read.prose
    if (read.endsUnbegun) found = []
    const [, mark, info = ""] = (read.kind === "fence" && !before.fence && /^(`{3,}|~{3,})(.*)/.exec(line)) || []
    const isPatch = mark === undefined ? read.kind === "words" && line === BEGIN : isPatchFence(info, lines[at + 1])
    const end = isPatch ? nextEnd(mark ?? END, at) : undefined
    if (end === undefined) continue
    const edits = editsOf(lines.slice(mark === undefined ? at : at + 1, mark === undefined ? end + 1 : end))
    if (edits?.length !== 0) found.push({ from: at, end, edits })
    prose = before
    at = end
  }
  // An unclosed fence may hide the end of a thought.
  return prose.fence && prose.hasQuotedEnd ? [] : found
}

function isPatchFence(info: string, firstLine = ""): boolean {
  return /^\s*(?:diff|patch|udiff)\b/.test(info) || firstLine === BEGIN || /^(?:diff --git|---) /.test(firstLine)
}

/**
 * Creates a function that finds the next line that ends a fence or a patch. It must be called with increasing
 * positions, so that each line is searched only once.
 */
function createEndFinder(lines: readonly string[]) {
  const ends = new Map<string, number[]>()
  for (const [at, line] of lines.entries()) {
    if (!/^(?:`{3,}|~{3,}|\*\*\* End Patch)\s*$/.test(line)) continue
    const mark = line.trimEnd()
    const found = ends.get(mark)
    if (found) found.push(at)
    else ends.set(mark, [at])
  }
  for (const positions of ends.values()) positions.reverse()
  return (mark: string, after: number): number | undefined => {
    const positions = ends.get(mark) ?? []
    while ((positions.at(-1) ?? after + 1) <= after) positions.pop()
    return positions.at(-1)
  }
}

/** Lines of a hunk, before and after the change. */
interface Hunk {
  oldLines: string[]
  newLines: string[]
}

interface FilePatch {
  path: string
  kind: "add" | "update" | "refused"
  hunks: Hunk[]
}

const REFUSED = "A patch can't delete or rename a file here. Use a git command."

/**
 * Returns the edits of a patch, or undefined if the patch can't be read. Empty if the lines show a change without
 * headers.
 */
function editsOf(lines: readonly string[]): EditPart[] | undefined {
  if (!lines.some((line) => PATCH_LINE.test(line))) return []
  const files = readFiles(lines)
  const isSound = files?.every(({ kind, hunks }) => {
    if (kind === "add") return hunks.length <= 1 && hunks.every(({ oldLines }) => oldLines.length === 0)
    return kind === "refused" || hunks.length > 0
  })
  if (!files?.length || !isSound) return undefined
  return files.flatMap(({ path, kind, hunks }): EditPart[] => {
    const none: Hunk = { oldLines: [], newLines: [] }
    if (kind === "refused") return [{ type: "edit", block: { path, ...none }, isComplete: false, problem: REFUSED }]
    return (kind === "add" ? [hunks[0] ?? none] : hunks).map((hunk) => {
      return { type: "edit", block: { path, ...hunk }, isComplete: true }
    })
  })
}

const PATCH_LINE = /^(?:@@|--- |diff --git |\*\*\* Begin Patch$)/
const HEADER_LINE =
  /^(?:diff --git |index |(?:new|deleted) file mode |(?:old|new) mode |similarity index |rename (?:from|to) |\*\*\* (?:Begin Patch|End Patch|End of File)$)/

function readFiles(lines: readonly string[]): FilePatch[] | undefined {
  const files: FilePatch[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ""
    const file = files.at(-1)
    const [, verb, path = ""] = /^\*\*\* (Add|Update|Delete|Move)(?: File| to): (.+)$/.exec(line) ?? []
    if (verb === "Move" && file) file.kind = "refused"
    else if (path !== "")
      files.push({ path: unquotePath(path.trim()), kind: KINDS[verb ?? ""] ?? "refused", hunks: [] })
    else if (startsFile(lines, at)) {
      files.push(fileOf(line.slice(4), (lines[at + 1] ?? "").slice(4)))
      at++
    } else if (!HEADER_LINE.test(line)) {
      const from = line.startsWith("@@") ? at + 1 : at
      let end = from
      while (end < lines.length && /^(?:$|[ +\\-])/.test(lines[end] ?? "") && !startsFile(lines, end)) end++
      if (end === at || !file) return undefined
      const hunk = hunkOf(lines.slice(from, end))
      if (hunk.oldLines.length + hunk.newLines.length > 0) file.hunks.push(hunk)
      at = end - 1
    }
    at++
  }
  return files
}

const KINDS: Readonly<Record<string, FilePatch["kind"]>> = { Add: "add", Update: "update" }

function startsFile(lines: readonly string[], at: number): boolean {
  return (lines[at]?.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) ?? false
}

/** Returns the file named by the lines `--- a/path` and `+++ b/path`. */
function fileOf(before: string, after: string): FilePatch {
  const [old = "", path = ""] = [before, after].map((name) => unquotePath((name.split("\t", 1)[0] ?? "").trim()))
  const isPrefixed = /^(?:a\/|\/dev\/null$)/.test(old) && /^(?:b\/|\/dev\/null$)/.test(path)
  const [from, to] = isPrefixed ? [old.replace(/^a\//, ""), path.replace(/^b\//, "")] : [old, path]
  if (old === "/dev/null") return { path: to, kind: "add", hunks: [] }
  return { path: from, kind: from === to ? "update" : "refused", hunks: [] }
}

function hunkOf(lines: readonly string[]): Hunk {
  // Empty lines at the end are either context lines without their leading space, or lines that follow the hunk.
  const end = lines.findLastIndex((line) => line !== "") + 1
  const given = lines.slice(0, end).filter((line) => !line.startsWith("\\"))
  return {
    oldLines: given.flatMap((line) => (line.startsWith("+") ? [] : [line.slice(1)])),
    newLines: given.flatMap((line) => (line.startsWith("-") ? [] : [line.slice(1)])),
  }
}
