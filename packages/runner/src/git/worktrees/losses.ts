import { basename, join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import type { CommittedFiles } from "@switchyard/core/files/worktrees/worktrees"
import type { Files } from "../../files/files.ts"
import type { Git, GitCall } from "../plumbing/git.ts"
import { fieldsOf, fromText, type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { clearFlags, overlookedAmong } from "../plumbing/overlooked.ts"
import { readStatus } from "../plumbing/read-status.ts"
import { gitDirOf, withCopy } from "../plumbing/snapshot.ts"
import { repositoriesBelow } from "./ignored-files.ts"
import { type InnerRepository, innerAt, innerRepositories, onlyIn } from "./inner-repositories.ts"
import { lostWithInner, lostWithWorktree } from "./lost-commits.ts"
import type { Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Work that exists only in a checkout, and would be lost with it. */
export interface Losses {
  cwd: string
  gitDir: string
  /** Tips of commits that are reachable only from this checkout. */
  heads: string[]
  /** True if the files or the index differ from the checked-out commit. */
  isDirty: boolean
  /** All index entries if anything is staged or in conflict; otherwise null. */
  index: GitPath[] | null
  /**
   * Folders that git skips because they look like nested repositories, although they aren't. Their files are stored
   * too.
   */
  hollow: GitPath[]
  /** Total size of changed and untracked files, and of commits that need copying. */
  bytes: number
  inner: (Losses & { repository: InnerRepository })[]
  /** Files and folders that git ignores. They are reported but not stored. */
  ignored: GitPath[]
}

/** True if nothing except ignored files would be lost. */
export function isNothing({ heads, isDirty, inner }: Losses): boolean {
  return heads.length === 0 && !isDirty && inner.length === 0
}

/**
 * Finds everything that would be lost with the worktree: commits on its branch, HEAD and their reflogs, its index and
 * files, and the same for each nested repository. Starts at least three git processes for the worktree and for each
 * nested repository. Right after a commit, `committed` saves these processes for the worktree.
 */
export async function findLosses(
  worktree: Worktree,
  { committed, ...options }: Options & { committed?: CommittedFiles | undefined },
): Promise<Losses> {
  const { git, tree: cwd } = worktree
  const gitDir = await gitDirOf(git.files, cwd)
  const heads = await lostWithWorktree(worktree, gitDir, { committed, ...options })
  // After a commit of ordinary files, nothing is staged or changed, and there are no gitlinks.
  const contents = committed && {
    entries: [],
    listed: new Set(committed.paths),
    status: { changed: [], ignored: committed.ignored },
  }
  const losses = await checkoutLosses(git, { cwd, gitDir, heads }, undefined, options, contents)
  const replaced = await replacementLosses(worktree, options)
  const bytes = replaced.reduce((sum, each) => sum + each.bytes, losses.bytes)
  return { ...losses, inner: [...losses.inner, ...replaced], bytes }
}

/**
 * Finds the commits in repositories that an agent put in the worktree's place, even if a repair has moved these
 * repositories.
 */
export async function replacementLosses({ git, tree, folder }: Worktree, options: Options): Promise<Losses["inner"]> {
  const { files } = git
  const moved = (await files.list(folder).catch(() => [])).map(({ name }) => name.toString("latin1"))
  const places = moved.filter((name) => /^replaced-.*\.git$/.test(name)).map((name) => join(folder, name))
  if (await isReplaced({ git, tree })) places.push(join(tree, ".git"))
  const found: Losses["inner"] = []
  for (const gitDir of places) {
    if (!(await files.exists(join(gitDir, "HEAD")))) continue
    const about = { path: basename(gitDir), cwd: gitDir, gitDir, commonDir: null, module: null, isBare: true }
    const losses = await commitLosses(git, about, options)
    if (!isNothing(losses)) found.push({ ...losses, repository: about })
  }
  return found
}

/**
 * True if the worktree's `.git` is a folder, which means that an agent replaced the worktree with its own repository.
 */
export async function isReplaced({ git: { files }, tree }: Pick<Worktree, "git" | "tree">): Promise<boolean> {
  return (await files.lstat(join(tree, ".git")).catch(() => undefined))?.kind === "folder"
}

/**
 * Returns true if the outer checkout stores this file of a nested repository. Undefined if it stores none of the
 * repository's files.
 */
type IsSaved = ((path: GitPath) => boolean) | undefined

async function checkoutLosses(
  git: Git,
  { cwd, gitDir, heads }: Pick<Losses, "cwd" | "gitDir" | "heads">,
  isSaved: IsSaved,
  options: Options,
  contents?: Contents,
): Promise<Losses> {
  const { files } = git
  const { entries, listed, status } = contents ?? (await readContents(git, cwd, options))
  const gitlinks = new Set(entries.filter((entry) => entry.startsWith("160000 ")).map(pathOf))
  const folders = { gitlinks: [...gitlinks], others: foldersOf(listed).filter((path) => !gitlinks.has(path)) }
  const { repositories, hollow } = await innerRepositories(files, { cwd, gitDir }, folders)
  const inner: Losses["inner"] = []
  for (const repository of repositories) {
    const prefix = `${fromText(repository.path)}/`
    const isOrdinary = repository.commonDir === null && (repository.module === null || isSaved !== undefined)
    const isKept = isSaved ?? ((path: GitPath) => listed.has(path))
    const isSavedInside = isOrdinary ? (path: GitPath) => isKept(prefix + path) : undefined
    const losses = await innerLosses(git, repository, isSavedInside, options).catch(unlessGit)
    if (losses && !isNothing(losses)) inner.push({ ...losses, repository })
    // If git can't read the repository, store its files with the outer checkout.
    if (!losses && !repository.isBare) hollow.push(fromText(repository.path))
  }
  const ignored = await repositoriesBelow(files, cwd, status.ignored)
  const found = await repositoriesBelow(
    files,
    cwd,
    hollow.map((path) => `${path}/`),
  )
  const inHollow = found.filter((path) => !found.some((other) => path.startsWith(`${other}/`)))
  for (const path of [...ignored, ...inHollow]) {
    const repository = await innerAt(files, { cwd, gitDir }, toText(path), false)
    if (!repository) continue
    // Ignored folders aren't stored. The files of a hollow folder are stored with the checkout.
    const withFiles = ignored.includes(path) ? undefined : innerLosses(git, repository, () => true, options)
    const losses =
      (await withFiles?.catch(unlessGit)) ?? (await commitLosses(git, repository, options).catch(unlessGit))
    if (losses && !isNothing(losses)) inner.push({ ...losses, repository })
  }
  const changed = status.changed.filter((each) => isLost(each, isSaved))
  // A submodule's changes are stored with the submodule.
  const lost = changed.filter(({ path }) => !path.endsWith("/") && !gitlinks.has(path))
  const sizes = await Promise.all(lost.map(({ path }) => sizeOf(files, inFolder(cwd, path))))
  const bytes = [...sizes, ...inner.map((each) => each.bytes)].reduce((sum, size) => sum + size, 0)
  const isStaged = changed.some(({ staged }) => staged !== " " && staged !== "?")
  const isDirty = isStaged || hollow.length > 0 || changed.some(({ path }) => !path.endsWith("/"))
  const index = isStaged ? entries : null
  return { cwd, gitDir, heads, isDirty, index, hollow, bytes, inner, ignored: status.ignored }
}

/** Git's list of a checkout's files. */
interface Contents {
  /** Index entries. */
  entries: GitPath[]
  /** Paths of the index entries and of changed and new files. */
  listed: Set<GitPath>
  status: { changed: Changed[]; ignored: GitPath[] }
}

async function readContents(git: Git, cwd: string, options: Options): Promise<Contents> {
  const lines = fieldsOf((await git(["ls-files", "--stage", "-v", "-z"], { cwd, ...options })).stdout)
  const status = await statusIn(git, cwd, overlookedAmong(lines).map(pathOf), options)
  const entries = lines.map((line) => line.slice(2))
  return { entries, listed: new Set([...entries.map(pathOf), ...status.changed.map(({ path }) => path)]), status }
}

/** Ignores errors that git reports for a damaged repository. Rethrows all others. */
export function unlessGit(error: unknown): undefined {
  if (!isAppError(error, "git_error") && !isAppError(error, "repository_error")) throw error
}

/** True if a change would be lost with its checkout. A change isn't lost if the outer checkout stores the file. */
function isLost({ staged, unstaged, path }: Changed, isSaved: IsSaved): boolean {
  if (!isSaved) return true
  if (staged !== " " && unstaged !== " " && staged !== "?") return true
  return staged !== "D" && unstaged !== "D" && !path.endsWith("/") && !isSaved(path)
}

async function innerLosses(git: Git, inner: InnerRepository, isSaved: IsSaved, options: Options): Promise<Losses> {
  const found = await commitLosses(git, inner, options)
  if (inner.isBare) return found
  const losses = await checkoutLosses(git, found, isSaved, options)
  return { ...losses, bytes: losses.bytes + found.bytes }
}

/** Returns the commits that would be lost if a nested repository were deleted. */
async function commitLosses(git: Git, inner: InnerRepository, options: Options): Promise<Losses> {
  const { cwd, gitDir, commonDir, isBare } = inner
  const heads = await lostWithInner(git, inner, options)
  const none = { cwd, gitDir, heads, isDirty: false, index: null, hollow: [], bytes: 0, inner: [], ignored: [] }
  // A linked worktree's commits are already in its repository, so they needn't be copied.
  if (heads.length === 0 || commonDir !== null) return none
  const env = isBare ? onlyIn(gitDir) : {}
  const asked = ["rev-list", "--disk-usage", "--objects", "--stdin", "--not", "--remotes"]
  const { stdout } = await git(asked, { cwd, env, input: `${heads.join("\n")}\n`, ...options })
  return { ...none, bytes: Number(stdout.toString()) }
}

/** A line in the short format of `git status`. */
interface Changed {
  /** Difference between the commit and the index: a letter, a space if they are equal, or "?" for an untracked file. */
  staged: string
  /** Difference between the index and the file. */
  unstaged: string
  /** Ends with a slash for an untracked repository. */
  path: GitPath
}

async function statusIn(git: Git, cwd: string, overlooked: GitPath[], options: Options): Promise<Contents["status"]> {
  const flags = ["--porcelain", "--untracked-files=all", "--ignored=matching", "--no-renames"]
  const ask = (call: GitCall) => readStatus(git, flags, call)
  const askWithout = async (index: string) => {
    const call = { cwd, env: { GIT_INDEX_FILE: index }, ...options }
    await clearFlags(git, overlooked, call)
    return ask(call)
  }
  const fields = overlooked.length > 0 ? await withCopy(git.files, cwd, askWithout) : await ask({ cwd, ...options })
  const lines = fields.map(([staged = "", unstaged = "", , ...path]) => ({ staged, unstaged, path: path.join("") }))
  return {
    changed: lines.filter(({ staged }) => staged !== "!"),
    ignored: lines.filter(({ staged }) => staged === "!").map(({ path }) => path),
  }
}

/** Returns the path of an index entry. */
const pathOf = (entry: GitPath) => entry.slice(entry.indexOf("\t") + 1)

/** Lists these paths and all their parent folders. */
function foldersOf(paths: Iterable<GitPath>): GitPath[] {
  const folders = new Set<GitPath>()
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return [...folders]
}

async function sizeOf(files: Files, place: Buffer): Promise<number> {
  const found = await files.lstat(place).catch(() => undefined)
  return found?.kind === "file" ? found.size : 0
}
