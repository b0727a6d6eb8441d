import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import { listFiles } from "@switchyard/core/files/worktrees/unresolved"
import type { Git } from "../plumbing/git.ts"
import { type GitPath, toText } from "../plumbing/git-path.ts"
import { line } from "../plumbing/repository.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { isGitlink, treeChanges, treeEntries } from "../plumbing/tree-changes.ts"
import { copyCommit, hasObject, type InnerRepository, innerAt, isPublished } from "./inner-repositories.ts"
import { submoduleNames } from "./stray-gitlinks.ts"
import type { Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

interface Gitlink {
  path: GitPath
  commit: string
}

/** Ref prefix that protects a submodule's commit once a branch refers to it. */
const MERGED = "refs/switchyard/merged"

/**
 * Copies submodule commits that exist only in the worktree to the repository's own modules, if a merge introduces them.
 * Returns the submodules whose commits aren't known to be on their remotes.
 */
export async function carrySubmodules(
  worktree: Worktree,
  { from, to }: { from: string; to: string },
  options: Options,
): Promise<string[]> {
  const { git, repository, tree } = worktree
  const changes = await treeChanges(git, repository.folder, from, to, options)
  const gitlinks = changes.flatMap(({ path, to: entry }) =>
    entry && isGitlink(entry) ? [{ path, commit: entry.blob }] : [],
  )
  if (gitlinks.length === 0) return []
  const gitDir = await gitDirOf(git.files, tree).catch(() => undefined)
  if (gitDir === undefined) return []
  const names = await submoduleNames(git, repository.folder, to, options)
  return carry(
    worktree,
    { cwd: tree, gitDir, modules: join(repository.commonDir, "modules"), gitlinks, names },
    options,
  )
}

const nameOf = ({ path, commit }: Gitlink) => `${toText(path)} (${commit.slice(0, 12)})`

interface Carried {
  cwd: string
  gitDir: string
  modules: string
  gitlinks: Gitlink[]
  /** Names of the submodules, by path. */
  names: Map<GitPath, string>
}

async function carry(
  worktree: Worktree,
  { cwd, gitDir, modules, gitlinks, names }: Carried,
  options: Options,
): Promise<string[]> {
  const { git } = worktree
  const unpublished: string[] = []
  for (const { path, commit } of gitlinks) {
    const inner = await innerAt(git.files, { cwd, gitDir }, toText(path))
    if (!inner || inner.module === null || !(await hasObject(git, inner.gitDir, commit, options))) {
      // The worktree doesn't have the commit. If the repository doesn't have it either, it may be on the submodule's
      // remote.
      const isHere = await hasObject(git, join(modules, names.get(path) ?? toText(path)), commit, options)
      if (!isHere) unpublished.push(nameOf({ path, commit }))
      continue
    }
    const to = join(modules, inner.module)
    if (!(await isPublished(git, inner.gitDir, commit, options))) {
      const ref = `${MERGED}/${commit}`
      await copyCommit(git, { from: inner.gitDir, to, commit, ref, isModule: true }, options)
      unpublished.push(nameOf({ path, commit }))
    }
    const entries = await treeEntries(git, inner.cwd, commit, options)
    const deeper = entries.filter(isGitlink).map((entry) => ({ path: entry.path, commit: entry.blob }))
    if (deeper.length === 0) continue
    const below = await requireAddresses(git, { inner, commit, gitlinks: deeper }, options)
    const place = { cwd: inner.cwd, gitDir: inner.gitDir, modules: join(to, "modules"), gitlinks: deeper, names: below }
    const within = await carry(worktree, place, options)
    unpublished.push(...within.map((each) => `${inner.path}/${each}`))
  }
  return unpublished
}

/**
 * Returns the names of a submodule's own submodules, by path. Throws if one of them has no URL from which it can be
 * cloned.
 */
async function requireAddresses(
  git: Git,
  { inner, commit, gitlinks }: { inner: InnerRepository; commit: string; gitlinks: Gitlink[] },
  options: Options,
): Promise<Map<GitPath, string>> {
  const names = await submoduleNames(git, inner.cwd, commit, options)
  const stray = gitlinks.filter(({ path }) => !names.has(path)).map(({ path }) => `${inner.path}/${toText(path)}`)
  if (stray.length === 0 || (await isPublished(git, inner.gitDir, commit, options))) return names
  const message = `The commit of submodule ${inner.path} contains repositories without a URL: ${listFiles(stray)}. Clones couldn't fetch their files. Remove their .git folders and commit the files in ${inner.path}.`
  throw new AppError("worktree_conflict", message, { files: stray, reason: "no_address" })
}

/** Describes submodule commits that other people can't fetch yet. */
export function describeUnpublished(submodules: string[]): string {
  return `These submodule commits may not be on their remote: ${submodules.join(", ")}. Push them before others clone this.`
}

export function unpublishedRefused(submodules: string[]): AppError {
  const way = "If the remote has them, fetch in the submodule. To push anyway, set `allow_unpublished`."
  return new AppError("worktree_conflict", `${describeUnpublished(submodules)} ${way}`, { submodules })
}

/**
 * Lists the submodules whose commits exist here but may be missing on the submodule's remote. A clone couldn't fetch
 * such a commit. Skips commits that a remote branch of this repository already refers to.
 */
export async function unpublishedSubmodules(
  { git, repository, tree }: Worktree,
  { commit, remote }: { commit: string; remote: string },
  options: Options,
): Promise<string[]> {
  const cwd = repository.folder
  const gitlinks = (await treeEntries(git, cwd, commit, options)).filter(isGitlink)
  if (gitlinks.length === 0) return []
  const names = await submoduleNames(git, cwd, commit, options)
  const own = await gitDirOf(git.files, tree).catch(() => undefined)
  const places = [repository.commonDir, ...(own === undefined ? [] : [own])]
  const found: string[] = []
  for (const { path, blob } of gitlinks) {
    const modules = places.map((place) => join(place, "modules", names.get(path) ?? toText(path)))
    const having: boolean[] = []
    for (const module of modules) {
      if (await hasObject(git, module, blob, options)) having.push(await isPublished(git, module, blob, options))
    }
    if (having.length === 0 || having.includes(true)) continue
    if (!(await isNamedBy(git, cwd, { path, commit: blob, remote }, options)))
      found.push(nameOf({ path, commit: blob }))
  }
  return found
}

/** True if a remote branch is known to refer to the submodule at this commit. */
async function isNamedBy(
  git: Git,
  cwd: string,
  { path, commit, remote }: Gitlink & { remote: string },
  options: Options,
): Promise<boolean> {
  const asked = [
    "for-each-ref",
    "--count=50",
    "--sort=-committerdate",
    "--format=%(objectname)",
    `refs/remotes/${remote}/`,
  ]
  const heads = (await git(asked, { cwd, ...options })).stdout.toString().split("\n").filter(Boolean)
  for (const head of new Set(heads)) {
    const found = await line(git, ["rev-parse", "--verify", "--quiet", `${head}:${toText(path)}`], { cwd, ...options })
    if (found === commit) return true
  }
  return false
}
