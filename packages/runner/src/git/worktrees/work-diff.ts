import { basename, dirname, join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { parseDiff } from "@switchyard/core/files/worktrees/diff"
import type {
  DiffEntry,
  DiffFile,
  DiffQuery,
  DiffSummary,
  FullDiff,
  ReviewDiff,
  ReviewQuery,
} from "@switchyard/core/files/worktrees/diff-schema"
import type { RawEntry } from "@switchyard/core/files/worktrees/raw-diff"
import type { CommittedFiles } from "@switchyard/core/files/worktrees/worktrees"
import { blobSizes } from "../plumbing/blobs.ts"
import type { Git } from "../plumbing/git.ts"
import { toText } from "../plumbing/git-path.ts"
import { checkedOut, headOf, line } from "../plumbing/repository.ts"
import { type Staged, snapshot } from "../plumbing/snapshot.ts"
import { AGENT_GIT } from "./lost-commits.ts"
import { DIFF_FLAGS, rawEntries, stageWork } from "./stray-gitlinks.ts"
import { readWork, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

const MAX_FILES = 3000
/** Limits above which a file's hunks are omitted. They don't apply if only this file is requested. */
const MAX_FILE_BYTES = 1024 * 1024
const MAX_FILE_LINES = 5000
const MAX_FILE_BYTES_ALONE = 8 * 1024 * 1024
/** Maximum number of changed lines in one response. Files beyond this limit are listed without hunks. */
const MAX_LINES = 50_000

/** Returns the changed files without their hunks. */
export async function summarise(worktree: Worktree, query: DiffQuery, { signal }: Options): Promise<DiffSummary> {
  const { base, totals, entries } = await changedFiles(worktree, query, { signal })
  const listed = entries.slice(0, MAX_FILES)
  return { ...totals, base_commit: base, complete: listed.length === entries.length, files: listed.map(withoutBlobs) }
}

/** Returns the changed files with their hunks. `committed` saves looking at the worktree again. */
export async function fullDiff(
  worktree: Worktree,
  query: DiffQuery,
  { committed, signal }: Options & { committed?: CommittedFiles | undefined },
): Promise<FullDiff> {
  const { base, tree, totals, entries } = committed
    ? await compared(worktree, { ...committed, known: committed.changes, leftOut: [] }, { signal })
    : await changedFiles(worktree, query, { signal })
  const listed = entries.slice(0, MAX_FILES)
  const files = await filesWithHunks(
    worktree.git,
    worktree.tree,
    { base, tree, entries: listed, alone: !!query.path, objects: join(worktree.repository.commonDir, "objects") },
    { signal },
  )
  return { ...totals, base_commit: base, complete: listed.length === entries.length, files }
}

const MAX_COMMITS = 200

/** Returns the diff for a review, with its commits. Doesn't change any branch or file. */
export async function reviewDiff(worktree: Worktree, query: ReviewQuery, { signal }: Options): Promise<ReviewDiff> {
  const { git, tree: cwd } = worktree
  const tipCommit =
    query.tip === null
      ? (await checkedOut(git, cwd, worktree.branch, { signal })).commit
      : await commitOf(worktree, query.tip, { signal })
  const from = query.base === null ? (await readWork(worktree)).base_commit : query.base
  const begun = await commitOf(worktree, from, { signal })
  const base = await parting(worktree, [begun, tipCommit], { branch: from, signal })
  const now =
    query.tip === null ? await stageWork(snapshot, git, cwd, base, { signal }) : { tree: tipCommit, leftOut: [] }
  const { totals, entries } = await compared(worktree, { base, ...now }, { signal })
  const listed = entries.slice(0, MAX_FILES)
  const files = await filesWithHunks(git, cwd, { base, tree: now.tree, entries: listed, alone: false }, { signal })
  const args = ["log", `--max-count=${MAX_COMMITS}`, "--no-color", "--format=%h %s", `${base}..${tipCommit}`]
  const log = (await line(git, args, { cwd, signal })) ?? ""
  const complete = listed.length === entries.length
  return { ...totals, base_commit: base, tip_commit: tipCommit, complete, files, commits: log ? log.split("\n") : [] }
}

async function commitOf({ git, tree: cwd }: Worktree, name: string, { signal }: Options): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]
  const found = await line(git, args, { cwd, signal })
  if (found) return found
  throw new AppError("branch_not_found", "The branch, tag or commit doesn't exist.", { branch: name })
}

/** Returns the diff from the base commit to the worktree's files, including untracked ones. */
async function changedFiles(worktree: Worktree, { compare_branch, path }: DiffQuery, { signal }: Options) {
  const base = await baseOf(worktree, compare_branch, { signal })
  const now = await stageWork(snapshot, worktree.git, worktree.tree, base, { signal })
  return compared(worktree, { base, ...now, path }, { signal })
}

interface ComparedWith {
  base: string
  path?: string | undefined
  /** Differences, if they are known. */
  known?: RawEntry[]
}

/** Returns the files that differ between a commit and a tree. */
async function compared(
  worktree: Worktree,
  { base, tree, leftOut, path, known }: Omit<Staged, "isUnchanged"> & ComparedWith,
  { signal }: Options,
) {
  const { git, tree: cwd } = worktree
  const all = known ?? (await rawEntries(git, cwd, { base, tree }, { signal }))
  const entries = path === undefined ? all : all.filter((entry) => entry.new_path === path)
  if (await mayHaveAttributes(worktree, entries)) await markGenerated(git, cwd, entries, { signal })
  const count = (key: "additions" | "deletions") => entries.reduce((sum, entry) => sum + (entry[key] ?? 0), 0)
  const totals = { files_changed: entries.length, insertions: count("additions"), deletions: count("deletions") }
  const left_out = leftOut.map((each) => toText(each.path))
  return { base, tree, entries, totals: { summary: inWords(totals, left_out), ...totals, left_out } }
}

const PATCH_FLAGS = [
  "--no-color",
  "--unified=3",
  "--inter-hunk-context=0",
  "--diff-algorithm=myers",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "--submodule=short",
]

async function baseOf(worktree: Worktree, branch: string | undefined, { signal }: Options): Promise<string> {
  const { base_commit } = await readWork(worktree)
  if (branch === undefined) return base_commit
  const head = await headOf(worktree.git, worktree.repository, branch, { signal })
  const { commit } = await checkedOut(worktree.git, worktree.tree, worktree.branch, { signal })
  return parting(worktree, [head, commit], { branch, signal })
}

/** Returns the merge base of two histories. Uses `branch` only in the error message. */
async function parting(
  { git, tree: cwd }: Worktree,
  histories: [string, string],
  { branch, signal }: Options & { branch: string },
): Promise<string> {
  const base = await line(git, ["merge-base", ...histories], { cwd, signal })
  if (base) return base
  throw new AppError("invalid_request", "The work has no common history with this branch.", { branch })
}

interface Hunked {
  /** True if only this file was requested. */
  alone: boolean
  /** The repository's folder of objects, if it is known. */
  objects?: string
}

export async function filesWithHunks(
  git: Git,
  cwd: string,
  { base, tree, entries, alone, objects }: Hunked & { base: string; tree: string; entries: RawEntry[] },
  { signal }: Options,
): Promise<DiffFile[]> {
  const tooLarge = await largeOnes(git, cwd, entries, { alone, objects }, { signal })
  const chosen = entries.filter((entry) => !tooLarge.has(entry))
  const parsed: DiffFile[] = []
  for (const paths of batchesOf(chosen, entries)) {
    const args = ["diff-tree", "-r", "--patch", ...DIFF_FLAGS, ...PATCH_FLAGS, base, tree, "--", ...paths]
    parsed.push(...parseDiff((await git(args, { cwd, signal })).stdout))
  }
  const byPath = Map.groupBy(parsed, ({ new_path }) => new_path)
  return entries.map((entry) => {
    const found = byPath.get(entry.new_path) ?? []
    const missing = tooLarge.has(entry) || (found.length === 0 && hasLines(entry))
    const marks = [...(missing ? ["too_large" as const] : []), ...found.flatMap((file) => file.marks)]
    return {
      ...withoutBlobs(entry),
      marks: [...new Set([...entry.marks, ...marks])],
      hunks: found.flatMap(({ hunks }) => hunks),
    }
  })
}

const hasLines = ({ additions, deletions }: RawEntry) => (additions ?? 0) + (deletions ?? 0) > 0

async function largeOnes(git: Git, cwd: string, entries: RawEntry[], { alone, objects }: Hunked, { signal }: Options) {
  const files = entries.filter((entry) => !entry.is_submodule)
  const sizes = await blobSizes(
    git,
    cwd,
    files.flatMap(({ oldBlob, newBlob }) => [oldBlob, newBlob]),
    { ...(objects !== undefined && { objects }), signal },
  )
  const maxBytes = alone ? MAX_FILE_BYTES_ALONE : MAX_FILE_BYTES
  let room = MAX_LINES
  return new Set(
    files.filter((entry) => {
      const lines = (entry.additions ?? 0) + (entry.deletions ?? 0)
      const bytes = Math.max(sizes.get(entry.oldBlob) ?? 0, sizes.get(entry.newBlob) ?? 0)
      const fits = bytes <= maxBytes && (alone || (lines <= MAX_FILE_LINES && lines <= room))
      if (fits && !alone) room -= lines
      return !entry.is_binary && !fits
    }),
  )
}

/**
 * Groups paths for git commands. An empty group stands for all paths. A rename's old and new paths are in the same
 * group, because git wouldn't detect the rename otherwise.
 */
function batchesOf(chosen: RawEntry[], all: RawEntry[]): string[][] {
  if (chosen.length === all.length) return all.length === 0 ? [] : [[]]
  const batches: string[][] = []
  for (let from = 0; from < chosen.length; from += FILES_AT_ONCE) {
    const some = chosen.slice(from, from + FILES_AT_ONCE)
    batches.push([...new Set(some.flatMap(({ old_path, new_path }) => [old_path, new_path]))])
  }
  return batches
}

const FILES_AT_ONCE = 200

/** False if the repository declares no attributes that apply to these files. */
async function mayHaveAttributes({ git: { files }, tree, folder, repository }: Worktree, entries: RawEntry[]) {
  const paths = entries.flatMap(({ old_path, new_path }) => [old_path, new_path])
  if (paths.some((path) => basename(path) === ATTRIBUTES)) return true
  const folders = new Set<string>([""])
  for (const path of paths) {
    for (let at = dirname(path); at !== "." && !folders.has(at); at = dirname(at)) folders.add(at)
  }
  const own = [repository.commonDir, join(folder, AGENT_GIT)].map((place) => join(place, "info/attributes"))
  const places = [...own, ...[...folders].map((path) => join(tree, path, ATTRIBUTES))]
  const found = await Promise.all(places.map((place) => files.lstat(place).catch(() => "unknown")))
  return found.some((each) => each !== undefined)
}

const ATTRIBUTES = ".gitattributes"

/** Marks files that the repository's attributes declare as generated. */
async function markGenerated(git: Git, cwd: string, entries: RawEntry[], { signal }: Options): Promise<void> {
  const input = entries.map(({ new_path }) => `${new_path}\0`).join("")
  if (input === "") return
  const { stdout } = await git(["check-attr", "-z", "--stdin", "linguist-generated"], { cwd, input, signal })
  const fields = stdout.toString().split("\0")
  for (const [index, entry] of entries.entries()) {
    const says = fields[3 * index + 2]
    if (says === "set" || says === "true") entry.marks = ["generated"]
    if (says === "unset" || says === "false") entry.marks = []
  }
}

function withoutBlobs({ oldBlob, newBlob, isTypeChange, ...entry }: RawEntry): DiffEntry {
  return entry
}

function inWords(
  { files_changed, insertions, deletions }: { files_changed: number; insertions: number; deletions: number },
  leftOut: string[],
): string {
  const many = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`
  const parts = [`${many(files_changed, "file")} changed`]
  if (insertions > 0) parts.push(many(insertions, "insertion(+)", "insertions(+)"))
  if (deletions > 0) parts.push(many(deletions, "deletion(-)", "deletions(-)"))
  const rest = leftOut.length > 0 ? `; omitted: ${leftOut.join(", ")}` : ""
  return parts.join(", ") + rest
}
