import { AppError } from "@switchyard/core/errors"
import { listFiles } from "@switchyard/core/files/worktrees/unresolved"
import { readBlobs } from "../plumbing/blobs.ts"
import type { Git } from "../plumbing/git.ts"
import { fieldsOf, type GitPath } from "../plumbing/git-path.ts"

/** Maximum size of a text that is searched for conflict markers. */
const MAX_TEXT_BYTES = 16 * 1024 * 1024

/**
 * Lists a tree's files that contain a conflict that the same file didn't contain in `before`. A conflict consists of
 * start, middle and end markers, each on its own line. Conflicts quoted in a Markdown code fence count as
 * documentation.
 */
export async function freshConflicts(
  git: Git,
  cwd: string,
  { tree, before }: { tree: string; before: string },
  { signal }: { signal: AbortSignal },
): Promise<GitPath[]> {
  // Search only changed lines. Include binary files, because an attribute may mark text as binary.
  const flags = ["--raw", "--find-renames", "--diff-filter=AMRT", "--no-ext-diff", "--no-textconv", "--text"]
  const args = ["diff-tree", "-r", "-z", "--full-index", ...flags, "-G", "^<<<<<<<", before, tree]
  const changes = [...changesIn(fieldsOf((await git(args, { cwd, signal })).stdout))]
  if (changes.length === 0) return []
  const wanted = changes.flatMap(({ from, to }) => [from, to])
  const contents = await readBlobs(git, cwd, wanted, { maxBytes: MAX_TEXT_BYTES, signal })
  const textOf = (blob: string) => contents.get(blob)?.toString("latin1") ?? ""
  return changes.flatMap(({ path, from, to }) => {
    const known = new Set(conflictsIn(path, textOf(from)))
    return conflictsIn(path, textOf(to)).some((conflict) => !known.has(conflict)) ? [path] : []
  })
}

function* changesIn(fields: string[]): Generator<{ path: GitPath; from: string; to: string }> {
  for (let at = 0; at + 1 < fields.length; ) {
    const [, , from = "", to = "", status = ""] = (fields[at] ?? "").split(" ")
    const isMoved = status.startsWith("R")
    yield { path: fields[at + (isMoved ? 2 : 1)] ?? "", from, to }
    at += isMoved ? 3 : 2
  }
}

export function markersRefused(files: string[]): AppError {
  const way = "Resolve them, or set `allow_markers` if they are intentional."
  const message = `There are conflict markers in ${listFiles(files)}. ${way}`
  return new AppError("worktree_conflict", message, { files, markers: true })
}

export function hasConflict(path: GitPath, text: string): boolean {
  return conflictsIn(path, text).length > 0
}

/** Returns the conflicts in a text, each from its start to its end marker. */
function conflictsIn(path: GitPath, text: string): string[] {
  if (!/^<{7}/m.test(text)) return []
  const isMarkdown = /\.(md|mdx|markdown)$/i.test(path)
  const found: string[] = []
  let fence: string | undefined
  let open: { size: number; lines: string[]; hasMiddle: boolean; isQuoted: boolean } | undefined
  for (const line of text.split(/\r?\n/)) {
    if (isMarkdown) {
      const [, ticks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
      // If a fence closes inside the conflict, the conflict as a whole isn't quoted.
      if (ticks !== undefined && open) open.isQuoted = false
      if (fence === undefined) fence = ticks
      else if (ticks?.startsWith(fence)) fence = undefined
    }
    const start = markerSize(line, "<")
    if (start) open = { size: start, lines: [], hasMiddle: false, isQuoted: fence !== undefined }
    if (!open) continue
    open.lines.push(line)
    if (markerSize(line, "=") === open.size) open.hasMiddle = true
    if (markerSize(line, ">") !== open.size || !open.hasMiddle) continue
    if (!open.isQuoted) found.push(open.lines.join("\n"))
    open = undefined
  }
  return found
}

/** Returns the length of the conflict marker on a line. Returns 0 if the line isn't a marker. */
function markerSize(line: string, character: "<" | "=" | ">"): number {
  if (!line.startsWith(character.repeat(7))) return 0
  let size = 7
  while (line[size] === character) size++
  const isMarker = size === line.length || (line[size] === " " && character !== "=")
  return isMarker ? size : 0
}
