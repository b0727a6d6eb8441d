import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Unresolved } from "@switchyard/core/files/worktrees/schema"
import { describeUnresolved } from "@switchyard/core/files/worktrees/unresolved"
import type { CommittedFiles } from "@switchyard/core/files/worktrees/worktrees"
import { readBlobs } from "../plumbing/blobs.ts"
import { type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import type { TreeEntry } from "../plumbing/tree-changes.ts"
import { freshConflicts, hasConflict } from "./markers.ts"
import { unmergedIn } from "./unmerged.ts"
import { readWork, type Stages, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

type Operation = NonNullable<Unresolved["operation"]>

/** Git's files and folders for operations that a commit wouldn't finish, such as a rebase. */
const UNFINISHED = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["sequencer", "cherry_pick"],
  ["BISECT_LOG", "bisect"],
] as const satisfies [string, Operation][]

/** Git's files for operations that a commit finishes if there are no conflicts. */
const COMMITTABLE = [
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry_pick"],
  ["REVERT_HEAD", "revert"],
] as const satisfies [string, Operation][]

/**
 * Finds a git operation that an agent left unfinished in the worktree, and the files with conflicts. Committing the
 * files would erase git's record of both. Returns undefined if the files can be committed. `isMerged` means that the
 * index has no unmerged entries.
 */
export async function findUnresolved(
  worktree: Worktree,
  { isMerged = false, ...options }: Options & { isMerged?: boolean },
): Promise<Unresolved | undefined> {
  const { git, tree } = worktree
  const gitDir = await gitDirOf(git.files, tree)
  const names = new Set((await git.files.list(gitDir)).map(({ name }) => name.toString("latin1")))
  const named = (list: readonly (readonly [string, Operation])[]) => list.find(([name]) => names.has(name))?.[1]
  const unfinished = await precise(worktree, gitDir, named(UNFINISHED), names)
  const files = isMerged ? [] : (await openPaths(worktree, options)).map(toText)
  if (!unfinished && files.length === 0) return undefined
  return { operation: unfinished ?? named(COMMITTABLE) ?? null, files }
}

/**
 * Returns the exact operation if several use the same folder: rebase and `git am`, or cherry-picks and reverts of
 * several commits.
 */
async function precise(
  { git: { files } }: Worktree,
  gitDir: string,
  operation: Operation | undefined,
  names: Set<string>,
): Promise<Operation | undefined> {
  if (names.has("rebase-apply") && (await files.exists(`${gitDir}/rebase-apply/applying`))) return "am"
  const reverts = async () => (await files.readText(`${gitDir}/sequencer/todo`))?.startsWith("revert")
  return operation === "cherry_pick" && (await reverts()) ? "revert" : operation
}

/** Throws `worktree_conflict` if the worktree's files can't be committed as they are. */
export async function requireResolved(worktree: Worktree, options: Options & { isMerged?: boolean }): Promise<void> {
  const found = await findUnresolved(worktree, options)
  if (!found) return
  const message = `${describeUnresolved(found)} Finish or abort it in the worktree first, or ask the agent to do so.`
  throw new AppError("worktree_conflict", message, { operation: found.operation, files: found.files })
}

/** Lists files in the work's latest commit that contain conflict markers added by the work. */
export async function markedFiles(
  worktree: Worktree,
  { committed, ...options }: Options & { committed?: CommittedFiles | undefined },
): Promise<string[]> {
  const { base_commit: before } = await readWork(worktree)
  if (committed && (await isFreeOfMarkers(worktree, committed))) return []
  return (await freshConflicts(worktree.git, worktree.tree, { tree: "HEAD", before }, options)).map(toText)
}

const FEW_FILES = 100
const SMALL_BYTES = 256 * 1024

/** True if the changed files are few and small, and none of them contains the start of a conflict. */
async function isFreeOfMarkers({ git: { files }, tree }: Worktree, { changes }: CommittedFiles): Promise<boolean> {
  const paths = changes.filter((entry) => !entry.is_deleted).map((entry) => join(tree, entry.new_path))
  if (paths.length > FEW_FILES) return false
  const found = paths.map(async (path) => {
    const isSmall = ((await files.lstat(path))?.size ?? SMALL_BYTES) < SMALL_BYTES
    return isSmall ? await files.readRegular(Buffer.from(path)) : undefined
  })
  return (await Promise.all(found)).every((bytes) => bytes && !/^<{7}/m.test(bytes.toString("latin1")))
}

/** Returns the unmerged paths whose files still contain conflicts. */
async function openPaths(worktree: Worktree, options: Options): Promise<GitPath[]> {
  const unmerged = await unmergedIn(worktree, options, worktree.tree)
  const open: GitPath[] = []
  for (const [path, stages] of unmerged) if (await isOpen(worktree, path, stages, options)) open.push(path)
  return open
}

/**
 * True if a conflict is unresolved. Agents don't stage files, so a conflict in a text file is unresolved as long as the
 * file contains markers. In other files, a conflict is unresolved until the file is staged.
 */
async function isOpen(worktree: Worktree, path: GitPath, [, ours, theirs]: Stages, options: Options): Promise<boolean> {
  const { git, tree } = worktree
  const isFile = (entry: TreeEntry | null): entry is TreeEntry => entry?.mode.startsWith("100") ?? false
  if (!isFile(ours) || !isFile(theirs)) return true
  const bytes = await git.files.readRegular(inFolder(tree, path))
  if (!bytes) return false
  // Don't pass the path: markers in code fences then count too, as they do for git.
  if (hasConflict("", bytes.toString("latin1")) || bytes.includes(0)) return true
  const limits = { maxBytes: bytes.length, ...options }
  const before = (await readBlobs(git, tree, [ours.blob], limits)).get(ours.blob)
  return before?.equals(bytes) === true && !(await hadMarkers(worktree, path, options))
}

/** True if git is known to have written conflict markers to this file. */
async function hadMarkers({ git, tree: cwd }: Worktree, path: GitPath, { signal }: Options): Promise<boolean> {
  const asked = ["cat-file", "blob", `AUTO_MERGE:${toText(path)}`]
  const { code, stdout } = await git(asked, { cwd, signal, accept: [128] })
  return code === 0 && hasConflict("", stdout.toString("latin1"))
}
