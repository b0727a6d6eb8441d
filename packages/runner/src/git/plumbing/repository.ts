import { AppError } from "@switchyard/core/errors"
import { isTaskBranch } from "@switchyard/core/files/worktrees/names"
import type { Files } from "../../files/files.ts"
import type { Git, GitCall } from "./git.ts"

interface Options {
  signal: AbortSignal
}

export interface Repository {
  /** Folder for git commands that don't concern a particular checkout. */
  folder: string
  /** Git folder that all checkouts share. It contains objects, refs and the runner's own records. */
  commonDir: string
  /** Top folder of the checkout that `folder` is in. Null if the repository is bare. */
  checkout: string | null
}

/** A repository that several of our processes may change. */
export interface SharedRepository extends Repository {
  /** Folder for the repository lock and update journals. Agents can't write to it. */
  journals: string
}

/**
 * Cache of repositories by folder. The cache saves processes, because each lookup of a repository starts git.
 * `openRepository` fills the cache. An entry is valid as long as the same git folder exists in the same location.
 */
export type KnownRepositories = Map<string, { stamp: string; repository: Repository }>

export async function openRepository(
  git: Git,
  folder: string,
  { signal, known }: Options & { known?: KnownRepositories },
): Promise<Repository> {
  const stamped = known && (await stampOf(git.files, folder))
  const found = known?.get(folder)
  if (found && found.stamp === stamped?.stamp) return found.repository
  const repository = await findRepository(git, folder, { signal })
  // If git found the repository in a parent folder, this folder's stamp wouldn't show changes, so don't cache the
  // result.
  if (stamped?.gitDir === repository.commonDir) known?.set(folder, { stamp: stamped.stamp, repository })
  return repository
}

/** Returns the folder's own git folder, if there is one, and a stamp that changes if the git folder is replaced. */
async function stampOf(files: Files, folder: string): Promise<{ gitDir: string; stamp: string } | undefined> {
  try {
    const inside = await files.exists(`${folder}/.git`)
    const gitDir = await files.realpath(inside ? `${folder}/.git` : folder)
    const [found, ...parts] = await Promise.all([
      files.stat(gitDir),
      ...["HEAD", "objects", "refs"].map((name) => files.exists(`${gitDir}/${name}`)),
    ])
    if (!found || parts.includes(false)) return undefined
    const { dev, ino, birthtimeNs, uid } = found
    return { gitDir, stamp: [dev, ino, birthtimeNs, uid].join(" ") }
  } catch {
    // Git reports the problem when the caller runs git in this folder.
    return undefined
  }
}

async function findRepository(git: Git, folder: string, { signal }: Options): Promise<Repository> {
  const asked = ["rev-parse", "--path-format=absolute", "--git-common-dir"]
  try {
    const { code, stdout } = await git([...asked, "--show-toplevel"], { cwd: folder, accept: [128], signal })
    // In a bare repository, git fails after the first line.
    const [, known, checkout] = /^(.+)\n(?:(.+)\n)?$/.exec(stdout.toString()) ?? []
    if (known !== undefined && (code === 0) === (checkout !== undefined))
      return { folder, commonDir: known, checkout: checkout ?? null }
    // A path contains a newline, or git failed.
    const commonDir = (await git(asked, { cwd: folder, signal })).stdout.toString().replace(/\n$/, "")
    const top = await line(git, ["rev-parse", "--show-toplevel"], { cwd: folder, signal })
    return { folder, commonDir, checkout: top ?? null }
  } catch (error) {
    const missing = error instanceof AppError && error.details.folder === folder
    if (missing) throw new AppError("repository_error", "The folder doesn't exist.", { folder }, { cause: error })
    throw error
  }
}

/** Returns the line printed by git. Returns undefined if git fails. */
export async function line(git: Git, args: string[], call: Omit<GitCall, "accept">): Promise<string | undefined> {
  const { code, stdout } = await git(args, { ...call, accept: [1, 128] })
  return code === 0 ? stdout.toString().replace(/\n$/, "") : undefined
}

/**
 * The checked-out commit, the commit's tree, and the ref that HEAD points to: "HEAD" if HEAD is detached, null on an
 * orphan branch.
 */
interface CheckedOut {
  commit: string
  tree: string
  ref: string | null
}

/** Reads the checked-out commit. On an orphan branch without a commit, reads `branch` instead. */
export async function checkedOut(git: Git, cwd: string, branch: string, { signal }: Options): Promise<CheckedOut> {
  const ask = async (name: string) => {
    const asked = ["rev-parse", `${name}^{commit}`, `${name}^{tree}`, "--symbolic-full-name", name]
    return (await line(git, asked, { cwd, signal }))?.split("\n")
  }
  const head = await ask("HEAD")
  const [commit, tree] = head ?? (await ask(`refs/heads/${branch}`)) ?? []
  if (!commit || !tree) throw new AppError("git_error", "The worktree has no commit.", { branch })
  return { commit, tree, ref: head?.[2] ?? null }
}

/** Returns the commit at a branch's head. Throws `branch_not_found` if the branch doesn't exist. */
export async function headOf(git: Git, repository: Repository, branch: string, options: Options): Promise<string> {
  const found = await findHead(git, repository, branch, options)
  if (found) return found
  throw new AppError("branch_not_found", "The branch doesn't exist.", { branch })
}

export function findHead(git: Git, { folder }: Repository, branch: string, options: Options) {
  return line(git, ["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${branch}^{commit}`], {
    cwd: folder,
    ...options,
  })
}

/** False if git's files show that the repository doesn't have the branch. */
export async function mayHaveBranch(files: Files, { commonDir }: Repository, branch: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`
  const places = [`${commonDir}/${ref}`, `${commonDir}/reftable`]
  if ((await Promise.all(places.map((place) => files.exists(place)))).includes(true)) return true
  // A large file can't be read as a text.
  const packed = await files.readText(`${commonDir}/packed-refs`).catch(() => ref)
  return packed?.includes(ref) ?? false
}

/**
 * Turns a session's branch into an ordinary one. An agent may have made it a symbolic ref. In that case, git would move
 * the ref's target instead of the branch.
 */
export async function detachBranch(git: Git, { folder }: Repository, branch: string, options: Options): Promise<void> {
  const [ref, call] = [`refs/heads/${branch}`, { cwd: folder, ...options }]
  if (!isTaskBranch(branch) || !(await line(git, ["symbolic-ref", "--quiet", ref], call))) return
  await git(["symbolic-ref", "--delete", ref], call)
}

/** Moves a branch from one commit to another. Returns false if the branch isn't at the first commit. */
export async function moveBranch(
  git: Git,
  cwd: string,
  move: { branch: string; from: string; to: string; why: string },
  { signal }: Options,
): Promise<boolean> {
  const { branch, from, to, why } = move
  const own = isTaskBranch(branch) ? ["--no-deref"] : []
  const args = ["update-ref", ...own, "-m", `switchyard: ${why}`, `refs/heads/${branch}`, to, from]
  const { code, stderr } = await git(args, { cwd, signal, accept: [1, 128] })
  if (code === 0) return true
  if (/is at [0-9a-f]+ but expected|unable to resolve reference/.test(stderr)) return false
  if (/Unable to create/.test(stderr)) {
    throw new AppError("worktree_busy", "Another process has locked the branch.", {
      branch,
      said: stderr.trim().slice(-500),
    })
  }
  if (/No space left/.test(stderr)) throw new AppError("storage_unavailable", "The disk is full.")
  throw new AppError("git_error", "The branch couldn't be moved.", { branch, said: stderr.trim().slice(-500) })
}

export interface Checkout {
  path: string
  head: string | null
  branch: string | null
  /** True if a user has locked the checkout. A locked checkout counts as existing even if it can't be reached. */
  locked: boolean
}

/** Lists all checkouts of the repository, except those that no longer exist. */
export async function checkoutsOf(git: Git, { folder }: Repository, { signal }: Options): Promise<Checkout[]> {
  const { stdout } = await git(["worktree", "list", "--porcelain", "-z"], { cwd: folder, signal })
  const records = stdout.toString().split("\0\0").filter(Boolean)
  const checkouts = records.map((record) => readCheckout(record.split("\0"))).filter((found) => found !== undefined)
  const reachable = await Promise.all(checkouts.map(({ path }) => git.files.exists(path)))
  return checkouts.filter(({ locked }, index) => locked || reachable[index])
}

function readCheckout(lines: string[]): Checkout | undefined {
  const value = (key: string) => lines.find((each) => each.startsWith(`${key} `))?.slice(key.length + 1)
  const path = value("worktree")
  if (!path || lines.includes("bare")) return undefined
  const branch = value("branch")?.replace(/^refs\/heads\//, "") ?? null
  const locked = lines.some((each) => each === "locked" || each.startsWith("locked "))
  return { path, head: value("HEAD") ?? null, branch, locked }
}
