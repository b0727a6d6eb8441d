import { dirname, join } from "node:path"
import { isReadOnly } from "@switchyard/core/agents/permissions/repository-rules"
import { AppError } from "@switchyard/core/errors"
import { createWorkspaceStore, sha256Of } from "@switchyard/core/files/workspaces/blob-store"
import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { describeRefused } from "@switchyard/core/files/worktrees/skipped-files"
import type { WriteFiles, WrittenFiles } from "@switchyard/core/files/worktrees/snapshot-schema"
import type { StagedFiles, Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import { readAll } from "@switchyard/core/storage/blobs"
import type { Files } from "../files/files.ts"
import { readRules, rulesCommit } from "../git/worktrees/repository-rules.ts"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { openedWorktree, type WorktreeOf } from "./worktree-location.ts"
import { findObstacles } from "./write-obstacles.ts"

/**
 * Commit subject for the worktree's other changes, which are committed separately from the files that the chat writes.
 */
const OTHERS = "Changes made beside the chat\n"

/**
 * Writes files and commits them separately from the worktree's other changes. First throws `worktree_conflict` if a
 * file doesn't have the expected content, or would be lost. If there are no files to write, only commits the other
 * changes. `isBegun` is true when continuing an interrupted write.
 */
export async function writeFiles(
  deps: ProjectDeps,
  about: WorktreeOf,
  worktrees: Worktrees,
  { message, files, reset = false, restores = false, isBegun }: WriteFiles & { isBegun: boolean },
  options: { signal: AbortSignal },
): Promise<WrittenFiles> {
  const onStaged = ({ refused }: StagedFiles) => {
    if (refused.length > 0) deps.notices.add(describeRefused(refused))
  }
  const commit = (subject: string) => worktrees.commit(subject, { ...options, onStaged })
  const opened = await openedWorktree(deps, about, options)
  if (!opened) throw new AppError("worktree_not_found", "The session has no worktree.")
  if (reset) return resetFiles(opened.worktree, worktrees, { message, isBegun }, options)
  const { git, tree } = opened.worktree
  const { sid, state } = about
  const store = createWorkspaceStore(deps.blobs, { sid, incarnation: state.session.incarnation })
  const root = await git.files.realpath(tree)
  const obstacles = await findObstacles(git.files, root, files)
  if (about.repository !== null && !restores) await addReadOnly(obstacles, opened.worktree, files, options)
  if (obstacles.size > 0) throw obstructed(obstacles)
  const placed = files.map((file) => ({ ...file, place: Buffer.from(join(root, workspacePath(file.path))) }))
  const missing: ((typeof placed)[number] & { mode: number })[] = []
  const changed: string[] = []
  for (const file of placed) {
    const bytes = await git.files.readRegular(file.place)
    const current = bytes ? sha256Of(bytes) : null
    const stat = bytes && (await git.files.lstat(file.place))
    const isExecutable = stat !== undefined && (stat.mode & 0o100) !== 0
    const executable = file.executable ?? isExecutable
    if (current === file.sha256 && (current === null || executable === isExecutable)) continue
    if (current !== file.sha256 && current !== file.if_sha256) changed.push(file.path)
    missing.push({ ...file, mode: executable ? 0o755 : 0o644 })
  }
  if (changed.length > 0)
    throw new AppError("worktree_conflict", "Files have been changed in the meantime.", { paths: changed })
  // Commit the worktree's other changes separately. If there are no files to write, the commit below contains them.
  if (!isBegun && files.length > 0) await commit(OTHERS)
  // Remove files before writing any, because a folder may replace a file of the same name, or vice versa.
  for (const { path, place, sha256 } of missing) {
    if (sha256 !== null) continue
    await git.files.unlink(place)
    await removeEmptyFolders(git.files, root, path)
  }
  for (const { path, sha256, mode } of missing) {
    if (sha256 !== null) await git.files.replace(root, path, mode, await readAll(await store.read(sha256, options)))
  }
  return { written_files: missing.length, commit: await commit(`${message}\n`) }
}

/** Adds the files that are read-only in the repository. Throws `setup_failed` if its rules can't be used. */
async function addReadOnly(
  obstacles: Map<string, string>,
  worktree: Worktree,
  files: WriteFiles["files"],
  options: { signal: AbortSignal },
): Promise<void> {
  const found = await readRules(worktree, await rulesCommit(worktree), options)
  for (const { path } of files) {
    if (found && isReadOnly(found.rules, path)) obstacles.set(path, `${path} is read-only in this repository.`)
  }
}

function obstructed(obstacles: Map<string, string>): AppError {
  const reasons = Object.fromEntries(obstacles)
  const first = Object.values(reasons).slice(0, 5)
  const message = ["Nothing was written.", ...new Set(first)].join(" ")
  return new AppError("worktree_conflict", message, { paths: Object.keys(reasons), reasons })
}

/** Removes folders that have become empty because a file was removed, as git does. */
async function removeEmptyFolders(files: Files, root: string, path: string): Promise<void> {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const wasEmpty = await files.removeFolder(join(root, folder)).then(
      () => true,
      () => false,
    )
    if (!wasEmpty) return
  }
}

/**
 * Reverts uncommitted changes. First commits the changes, then adds a commit that reverts them. Keeps ignored files.
 */
async function resetFiles(
  { git, tree: cwd }: Worktree,
  worktrees: Worktrees,
  { message, isBegun }: { message: string; isBegun: boolean },
  { signal }: { signal: AbortSignal },
): Promise<WrittenFiles> {
  const kept = await worktrees.commit(OTHERS, { signal })
  const lines = async (...args: string[]) =>
    (await git(args, { cwd, signal })).stdout.toString().split("\n").slice(0, -1)
  const [subject] = await lines("log", "-1", "--format=%s")
  // An interrupted reset continues from the commit that it had already made.
  if (kept === null && !(isBegun && subject === OTHERS.trim())) return { written_files: 0, commit: null }
  const changed = await lines("diff-tree", "-r", "--name-only", "HEAD^", "HEAD")
  await git(["read-tree", "--reset", "-u", "HEAD^"], { cwd, signal })
  return { written_files: changed.length, commit: await worktrees.commit(`${message}\n`, { signal }) }
}
