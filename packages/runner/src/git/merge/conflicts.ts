import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { markerSize, parseRegions, type Region, type Segment } from "@switchyard/core/files/worktrees/conflict-markers"
import type { ConflictFile, ConflictHunk, ConflictKind } from "@switchyard/core/files/worktrees/conflict-schema"
import { blobSizes, readBlobs } from "../plumbing/blobs.ts"
import { fromText, type GitPath, toText } from "../plumbing/git-path.ts"
import type { TreeEntry } from "../plumbing/tree-changes.ts"
import { unmergedIn } from "../worktrees/unmerged.ts"
import type { Pending, Stages, Worktree } from "../worktrees/worktree-record.ts"

interface Options {
  signal: AbortSignal
}

interface Conflict {
  path: GitPath
  stages: Stages
  resolved: boolean
}

/** Maximum size of a file version that is split into conflict regions. */
const MAX_TEXT_BYTES = 1024 * 1024
const MAX_LISTED = 500
const READ_AT_ONCE = 20
const CONTEXT_LINES = 3

/** Lists all conflicts of a merge, including resolved ones, sorted by path. */
export async function conflictsOf(worktree: Worktree, pending: Pending, { signal }: Options): Promise<Conflict[]> {
  const open = [...(await unmergedIn(worktree, { signal }))].map(([path, stages]) => ({
    path,
    stages,
    resolved: false,
  }))
  const done = pending.resolved.map(({ path, stages }) => ({ path, stages, resolved: true }))
  return [...open, ...done].sort((a, b) => (a.path < b.path ? -1 : 1))
}

export async function listConflicts(
  worktree: Worktree,
  pending: Pending,
  { signal }: Options,
): Promise<{ files: ConflictFile[]; complete: boolean; unresolved: number }> {
  const conflicts = await conflictsOf(worktree, pending, { signal })
  const files = await describe(worktree, pending, conflicts.slice(0, MAX_LISTED), { signal, whole: false })
  const unresolved = conflicts.filter(({ resolved }) => !resolved).length
  return { files, complete: conflicts.length <= MAX_LISTED, unresolved }
}

export async function oneConflict(
  worktree: Worktree,
  pending: Pending,
  path: string,
  { signal }: Options,
): Promise<ConflictFile> {
  const found = await findConflict(worktree, pending, path, { signal })
  const [file] = await describe(worktree, pending, [found], { signal, whole: true })
  if (!file) throw noConflict(path)
  return file
}

export async function findConflict(
  worktree: Worktree,
  pending: Pending,
  path: string,
  { signal }: Options,
): Promise<Conflict> {
  const bytes = fromText(path)
  const found = (await conflictsOf(worktree, pending, { signal })).find((each) => each.path === bytes)
  if (!found) throw noConflict(path)
  return found
}

function noConflict(path: string): AppError {
  return new AppError("conflict_not_found", "There is no conflict in this file.", { file_path: path })
}

async function describe(
  worktree: Worktree,
  pending: Pending,
  conflicts: Conflict[],
  { signal, whole }: Options & { whole: boolean },
): Promise<ConflictFile[]> {
  const blobs = conflicts.flatMap(({ stages }) => stages.flatMap((stage) => (stage ? [stage.blob] : [])))
  const sizes = await blobSizes(worktree.git, worktree.scratch, blobs, { signal })
  const origins = await originsOf(worktree, pending, conflicts, { signal })
  const files: ConflictFile[] = []
  let contents = new Map<string, Buffer>()
  for (const [index, { path, stages, resolved }] of conflicts.entries()) {
    if (index % READ_AT_ONCE === 0) {
      const some = conflicts.slice(index, index + READ_AT_ONCE)
      contents = await contentsOf(worktree, some, { signal })
    }
    const texts = textsOf(stages, contents)
    const merged = texts && isMergeable(stages) ? await mergeTexts(worktree, texts, { signal }) : undefined
    const [base, ours, theirs] = stages.map((stage) => stage && { ...stage, size_bytes: sizes.get(stage.blob) ?? null })
    const origin = origins.get(path) ?? path
    files.push({
      file_path: toText(path),
      kind: kindOf(stages),
      is_binary: texts?.binary ?? false,
      is_submodule: stages.some((stage) => stage?.mode === "160000"),
      marks: texts ? [] : ["too_large"],
      resolved,
      base: base ?? null,
      ours: ours ?? null,
      theirs: theirs ?? null,
      related: conflicts.flatMap((other) => {
        const sameRename = other.path !== path && (origins.get(other.path) ?? other.path) === origin
        return sameRename ? [toText(other.path)] : []
      }),
      hunks: merged ? hunksOf(merged.segments) : [],
      content: whole && texts && !texts.binary ? contentOf(stages, texts, merged?.text) : null,
    })
  }
  return files
}

const KINDS: Record<string, ConflictKind> = {
  "111": "content",
  "011": "both_added",
  "101": "deleted_by_ours",
  "110": "deleted_by_theirs",
  "100": "deleted_by_both",
  "010": "added_by_ours",
  "001": "added_by_theirs",
}

function kindOf(stages: Stages): ConflictKind {
  return KINDS[stages.map((stage) => (stage ? "1" : "0")).join("")] ?? "content"
}

/** True for a conflict between two text files. Such a conflict can be resolved region by region. */
function isMergeable([, ours, theirs]: Stages): boolean {
  const isFile = (entry: TreeEntry | null) => entry?.mode.startsWith("100") ?? false
  return isFile(ours) && isFile(theirs)
}

/** Versions of a file, as strings with one character per byte, so that any content survives decoding and encoding. */
interface Texts {
  base: string
  ours: string
  theirs: string
  binary: boolean
}

function contentsOf(
  { git, scratch }: Worktree,
  conflicts: { stages: Stages }[],
  { signal }: Options,
): Promise<Map<string, Buffer>> {
  const blobs = conflicts.flatMap(({ stages }) => stages.flatMap((stage) => blobOf(stage) ?? []))
  return readBlobs(git, scratch, blobs, { maxBytes: MAX_TEXT_BYTES, signal })
}

/** Decodes the versions of a file. Returns undefined if one of them is too large. */
function textsOf(stages: Stages, contents: Map<string, Buffer>): Texts | undefined {
  const wanted = stages.map(blobOf)
  if (wanted.some((blob) => blob !== undefined && !contents.has(blob))) return undefined
  const [base = "", ours = "", theirs = ""] = wanted.map((blob) => contents.get(blob ?? "")?.toString("latin1") ?? "")
  return { base, ours, theirs, binary: [base, ours, theirs].some((text) => text.includes("\0")) }
}

/** Returns an entry's blob. Returns undefined for a submodule, because its entry is a commit in another repository. */
function blobOf(entry: TreeEntry | null): string | undefined {
  return entry && entry.mode !== "160000" ? entry.blob : undefined
}

/**
 * Returns the regions that git considers changed on both sides. Returns undefined if git treats one of the files as
 * binary.
 */
async function mergeTexts(
  { git, folder }: Worktree,
  texts: Texts,
  { signal }: Options,
): Promise<{ text: string; segments: Segment[] } | undefined> {
  if (texts.binary) return undefined
  const size = markerSize([texts.base, texts.ours, texts.theirs])
  const { files } = git
  const place = join(folder, `regions-${randomUUID()}`)
  try {
    await files.makeFolder(place)
    for (const side of ["ours", "base", "theirs"] as const) {
      await files.create(join(place, side), 0o644, Buffer.from(texts[side], "latin1"))
    }
    const args = ["merge-file", "-p", "--zdiff3", `--marker-size=${size}`, "ours", "base", "theirs"]
    // The exit code is the number of conflict regions.
    const accept = Array.from({ length: 127 }, (_, index) => index + 1)
    const text = (await git(args, { cwd: place, signal, accept })).stdout.toString("latin1")
    return { text, segments: parseRegions(text, size, texts) }
  } finally {
    await files.remove(place)
  }
}

/** Splits a conflict into segments that can be resolved one by one. */
export async function segmentsOf(
  worktree: Worktree,
  { stages, path }: Conflict,
  { signal }: Options,
): Promise<Segment[]> {
  const texts = isMergeable(stages) ? textsOf(stages, await contentsOf(worktree, [{ stages }], { signal })) : undefined
  const merged = texts && (await mergeTexts(worktree, texts, { signal }))
  if (merged) return merged.segments
  throw new AppError("invalid_request", "This conflict has no regions.", { file_path: toText(path) })
}

function hunksOf(segments: Segment[]): ConflictHunk[] {
  const regions = segments.filter((segment): segment is Region => segment.type === "conflict")
  return regions.map((region, index) => {
    const at = segments.indexOf(region)
    const [before, after] = [segments[at - 1], segments[at + 1]]
    return {
      index,
      before: before?.type === "agreed" ? shown(before.lines.slice(-CONTEXT_LINES)) : [],
      ours: shown(region.ours),
      base: shown(region.base),
      theirs: shown(region.theirs),
      after: after?.type === "agreed" ? shown(after.lines.slice(0, CONTEXT_LINES)) : [],
    }
  })
}

const shown = (lines: string[]) => lines.map((line) => toText(line.replace(/\n$/, "")))

function contentOf(stages: Stages, { base, ours, theirs }: Texts, merged: string | undefined) {
  const text = (content: string, index: number) => (stages[index] ? toText(content) : null)
  return {
    base: text(base, 0),
    ours: text(ours, 1),
    theirs: text(theirs, 2),
    merged: merged === undefined ? null : toText(merged),
  }
}

/** Finds the original paths of renamed files, so that conflicts from the same rename can be shown together. */
async function originsOf({ git, scratch }: Worktree, pending: Pending, conflicts: Conflict[], { signal }: Options) {
  const origins = new Map<GitPath, GitPath>()
  const moved = conflicts.some(({ stages }) => /deleted_by_both|added_by/.test(kindOf(stages)))
  if (!moved) return origins
  const found = await git(["merge-base", pending.ours, pending.theirs], { cwd: scratch, signal })
  const base = found.stdout.toString().trim()
  for (const side of [pending.ours, pending.theirs]) {
    const args = ["diff-tree", "-r", "-M", "--diff-filter=R", "--name-status", "-z", base, side]
    const fields = (await git(args, { cwd: scratch, signal })).stdout.toString("latin1").split("\0")
    for (let at = 0; at + 2 < fields.length; at += 3) origins.set(fields[at + 2] ?? "", fields[at + 1] ?? "")
  }
  return origins
}
