import { parseRawDiff, type RawEntry } from "@switchyard/core/files/worktrees/raw-diff"
import type { LeaveOut } from "../plumbing/add-files.ts"
import type { Git } from "../plumbing/git.ts"
import type { GitPath } from "../plumbing/git-path.ts"
import { fromText } from "../plumbing/git-path.ts"
import { isLinkedWorktree } from "../plumbing/list-new.ts"
import type { Staged, snapshot } from "../plumbing/snapshot.ts"
import { isGitlink, type TreeChange, treeChanges } from "../plumbing/tree-changes.ts"

interface StagedWork extends Staged {
  /** Changes from the base to the tree, if they were needed for staging. */
  changes?: TreeChange[]
  /** The same changes with renames and line counts, if the checkout contains only ordinary files. */
  entries?: RawEntry[]
}

/**
 * Stages a worktree's files. Repositories that an agent created in the worktree become ordinary folders, even if they
 * were committed as gitlinks.
 */
export async function stageWork(
  stage: typeof snapshot,
  git: Git,
  cwd: string,
  base: string,
  options: { signal: AbortSignal; leaveOut?: LeaveOut; asFolders?: GitPath[]; withEntries?: boolean },
): Promise<StagedWork> {
  const staged = await stage(git, cwd, options)
  if (staged.isUnchanged) return staged
  if (options.withEntries && staged.listed) {
    const entries = await rawEntries(git, cwd, { base, tree: staged.tree }, options)
    // A repository may have been created after the files were listed.
    if (!entries.some((entry) => entry.is_submodule)) return { ...staged, entries }
  }
  const changes = await treeChanges(git, cwd, base, staged.tree, options)
  const { folders, worktrees } = await strayGitlinks(git, cwd, { changes, tree: staged.tree }, options)
  if (folders.length + worktrees.length === 0) return { ...staged, changes }
  return stage(git, cwd, { ...options, asFolders: [...(options.asFolders ?? []), ...folders], dropped: worktrees })
}

/** Returns the staged files that differ from the base, and the files that were left out. */
export async function differingPaths(
  { changes, entries, tree, leftOut }: StagedWork,
  { git, cwd, base }: { git: Git; cwd: string; base: string },
  options: { signal: AbortSignal },
): Promise<GitPath[]> {
  const texts = entries?.filter((entry) => !entry.is_deleted).map((entry) => entry.new_path)
  // A name that isn't valid UTF-8 can't be converted back.
  if (texts && leftOut.length === 0 && !texts.some((path) => path.includes("\ufffd"))) return texts.map(fromText)
  const known = changes ?? (await treeChanges(git, cwd, base, tree, options))
  return [...new Set([...known.filter(({ to }) => to !== null), ...leftOut].map(({ path }) => path))]
}

/** Returns the differences between a commit and a tree, with renames and line counts. */
export async function rawEntries(
  git: Git,
  cwd: string,
  { base, tree }: { base: string; tree: string },
  { signal }: { signal: AbortSignal },
): Promise<RawEntry[]> {
  const args = ["diff-tree", "-r", "--raw", "--numstat", "-z", ...DIFF_FLAGS, base, tree]
  return parseRawDiff((await git(args, { cwd, signal })).stdout)
}

/** Flags that override the repository's and the user's settings for the output. */
export const DIFF_FLAGS = [
  "--find-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=none",
  "--full-index",
]

/**
 * Finds a tree's gitlinks that are new and have no URL in `.gitmodules`. `git add` creates such gitlinks for
 * worktrees, and for repositories that an agent created or cloned. Clones of this repository couldn't fetch their
 * files.
 */
async function strayGitlinks(
  git: Git,
  cwd: string,
  { changes, tree }: { changes: TreeChange[]; tree: string },
  { signal }: { signal: AbortSignal },
): Promise<{ folders: GitPath[]; worktrees: GitPath[] }> {
  const stray = { folders: [] as GitPath[], worktrees: [] as GitPath[] }
  const fresh = changes.filter(({ from, to }) => isGitlink(to) && !isGitlink(from)).map(({ path }) => path)
  if (fresh.length === 0) return stray
  const known = await submoduleNames(git, cwd, tree, { signal })
  for (const path of fresh.filter((each) => !known.has(each))) {
    const isLinked = await isLinkedWorktree(git.files, cwd, path)
    stray[isLinked ? "worktrees" : "folders"].push(path)
  }
  return stray
}

/** Returns the names of the submodules in a commit or tree that have a URL, by path. */
export async function submoduleNames(
  git: Git,
  cwd: string,
  tree: string,
  { signal }: { signal: AbortSignal },
): Promise<Map<GitPath, string>> {
  const asked = ["config", "-z", "--blob", `${tree}:.gitmodules`, "--get-regexp", "^submodule\\..*\\.(path|url)$"]
  const { stdout } = await git(asked, { cwd, signal, accept: [1, 128] })
  const values = new Map<string, string>()
  for (const setting of stdout.toString().split("\0")) {
    const end = setting.indexOf("\n")
    if (end >= 0) values.set(setting.slice(0, end), setting.slice(end + 1))
  }
  const names = [...values].flatMap(([key, path]) => {
    const section = key.slice(0, -".path".length)
    const isNamed = key.endsWith(".path") && values.get(`${section}.url`)
    return isNamed ? [[fromText(path), section.slice("submodule.".length)] as const] : []
  })
  return new Map(names)
}
