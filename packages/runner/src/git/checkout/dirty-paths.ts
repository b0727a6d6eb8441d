import { dirname } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Files } from "../../files/files.ts"
import type { Git, GitCall } from "../plumbing/git.ts"
import { fieldsOf, type GitPath, inFolder } from "../plumbing/git-path.ts"
import { clearFlags, overlookedAmong } from "../plumbing/overlooked.ts"
import { isGitlink, type TreeChange } from "../plumbing/tree-changes.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Finds the paths in `changes` that have uncommitted work in this checkout: staged, edited, deleted or untracked files,
 * including ignored ones. None of them may be overwritten.
 *
 * `index` is a copy of the checkout's index in a separate folder. The function refreshes this copy, and clears flags in
 * it that hide changes.
 */
export async function findDirtyPaths(
  git: Git,
  checkout: string,
  { index, head, changes }: { index: string; head: string; changes: TreeChange[] },
  { signal }: Options,
): Promise<GitPath[]> {
  // Filters may run programs that agents added to the repository, so restrict git to these folders.
  const place = { cwd: checkout, reads: [checkout], writes: [dirname(index)] }
  const call = { ...place, env: { GIT_INDEX_FILE: index }, signal }
  await lookAtEverything(git, checkout, changes, call)
  const [staged, edited] = await Promise.all([
    git(["diff-index", "--cached", "--no-renames", "--name-only", "-z", "--ignore-submodules=none", head], call),
    git(["diff-files", "--name-only", "-z", "--ignore-submodules=dirty"], call),
  ])
  const touched = new Set(changes.map(({ path }) => path))
  const dirty = [...fieldsOf(staged.stdout), ...fieldsOf(edited.stdout)].filter((path) => touched.has(path))
  const leaving = new Set(changes.filter(({ to }) => !to).map(({ path }) => path))
  const unknown: GitPath[] = []
  for (const { path, from, to } of changes) {
    const comes = to && (!from || (isGitlink(from) && !isGitlink(to)))
    if (comes) unknown.push(...(await standing(git.files, checkout, path, leaving)))
  }
  return [...new Set([...dirty, ...unknown])].sort()
}

/** Clears the flags `assume-unchanged` and `skip-worktree`, which hide edits, on entries whose files exist. */
async function lookAtEverything(git: Git, checkout: string, changes: TreeChange[], call: GitCall): Promise<void> {
  const { stdout } = await git(["ls-files", "-v", "-z"], call)
  if (fieldsOf(stdout).some((field) => /^m /i.test(field))) {
    throw new AppError("merge_blocked", "The checkout has unresolved conflicts.", { checkout, files: [] })
  }
  const touched = new Set(changes.map(({ path }) => path))
  const overlooked = overlookedAmong(fieldsOf(stdout)).map((field) => field.slice(2))
  await clearFlags(
    git,
    overlooked.filter((path) => touched.has(path)),
    call,
  )
  await git(["update-index", "-q", "--refresh"], { ...call, accept: [1] })
}

type Kind = "file" | "folder"

/** Finds existing files that are in the way of a new file. Omits files that the same update removes. */
async function standing(files: Files, checkout: string, path: GitPath, leaving: Set<GitPath>): Promise<GitPath[]> {
  const segments = path.split("/")
  for (let depth = 1; depth < segments.length; depth++) {
    const parent = segments.slice(0, depth).join("/")
    const kind = await kindAt(files, checkout, parent)
    if (kind === undefined) return []
    if (kind === "file") return leaving.has(parent) ? [] : [parent]
  }
  const kind = await kindAt(files, checkout, path)
  if (kind === undefined) return []
  return kind === "file" ? [path] : filesIn(files, checkout, path, leaving)
}

/** Finds the files in a folder that the update doesn't remove. Empty folders don't count. */
async function filesIn(files: Files, checkout: string, folder: GitPath, leaving: Set<GitPath>): Promise<GitPath[]> {
  const found: GitPath[] = []
  for (const { name, kind } of await files.list(inFolder(checkout, folder))) {
    const path = `${folder}/${name.toString("latin1")}`
    if (kind === "folder") found.push(...(await filesIn(files, checkout, path, leaving)))
    else if (!leaving.has(path)) found.push(path)
  }
  return found
}

async function kindAt(files: Files, checkout: string, path: GitPath): Promise<Kind | undefined> {
  const found = await files.lstat(inFolder(checkout, path))
  return found && (found.kind === "folder" ? "folder" : "file")
}
