import { randomUUID } from "node:crypto"
import { resolve } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Files } from "../../files/files.ts"
import { type AddOptions, addAll, type LeftOut, unreadableFolders } from "./add-files.ts"
import { type Git, notAbove } from "./git.ts"
import { gitFailure } from "./git-errors.ts"
import { fieldsOf, type GitPath } from "./git-path.ts"
import { listNew } from "./list-new.ts"

interface Options {
  signal: AbortSignal
}

export interface Staged {
  tree: string
  leftOut: LeftOut[]
  /** True if the tree is the index as it was, and contains no submodules. */
  isUnchanged: boolean
  /** All paths of the checkout, if it contains only ordinary files and all of them were staged. */
  listed?: GitPath[] | undefined
}

/**
 * Writes all files of a checkout as a tree, including untracked files and nested repositories. For files that are left
 * out, the tree contains the last staged version. Doesn't change the checkout's index or files.
 */
export function snapshot(git: Git, checkout: string, options: AddOptions): Promise<Staged> {
  return withCopy(git.files, checkout, (index) => {
    return stageAll(git, { cwd: checkout, env: { GIT_INDEX_FILE: index } }, options)
  })
}

/**
 * Like `snapshot`, but also stages everything in the checkout's index. Works on a copy of the index, so that an abort
 * never leaves the index locked: a git process that is killed while taking its first lock would leave the lock behind.
 */
export function stageInPlace(git: Git, checkout: string, options: AddOptions): Promise<Staged> {
  const { files } = git
  return withCopy(files, checkout, async (index, gitDir) => {
    const copied = (await files.stat(index))?.mtimeNs
    const staging = { cwd: checkout, env: { GIT_INDEX_FILE: index } }
    const staged = await stageAll(git, staging, { ...options, isKept: true })
    if ((await files.stat(index))?.mtimeNs !== copied) await replaceIndex(files, gitDir, index)
    return staged
  })
}

/** Runs a task with a copy of a checkout's index. */
export async function withCopy<T>(
  files: Files,
  checkout: string,
  task: (index: string, gitDir: string) => Promise<T>,
): Promise<T> {
  const gitDir = await gitDirOf(files, checkout)
  const index = `${gitDir}/switchyard-index-${randomUUID()}`
  try {
    await copyIndex(files, `${gitDir}/index`, index)
    return await task(index, gitDir)
  } finally {
    await files.remove(index)
    await files.remove(`${index}.lock`)
  }
}

/** Replaces a checkout's index in the same way as git does, by renaming the lock file. */
async function replaceIndex(files: Files, gitDir: string, fresh: string): Promise<void> {
  const lock = `${gitDir}/index.lock`
  try {
    await files.link(fresh, lock)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    throw new AppError("worktree_busy", "Another git process is using the worktree.", { lock }, { cause: error })
  }
  await files.rename(lock, `${gitDir}/index`)
}

/**
 * Lists the checkout's files that are tracked or not ignored, in the same way as `listNew`. Also lists its submodule
 * folders.
 */
export async function listAll(git: Git, checkout: string, options: Options): Promise<GitPath[]> {
  return (await listWithModules(git, checkout, options)).paths
}

/**
 * Lists the same files as `listAll`. Also returns the paths that are submodules, and the folders that git can't read.
 * Throws if the checkout's repository is broken.
 */
export async function listWithModules(
  git: Git,
  checkout: string,
  { signal }: Options,
): Promise<{ paths: GitPath[]; modules: GitPath[]; unreadable: GitPath[] }> {
  const asked = ["ls-files", "-z", "-t", "--stage", "--others", "--exclude-standard"]
  const { stdout, stderr } = await git(asked, { cwd: checkout, env: notAbove(checkout), signal })
  const entries = fieldsOf(stdout).map((entry) => {
    const isNew = entry.startsWith("? ")
    return {
      path: entry.slice(isNew ? 2 : entry.indexOf("\t") + 1),
      isModule: !isNew && entry.startsWith("160000 ", 2),
    }
  })
  const unreadable = unreadableFolders(stderr).map(({ path }) => path)
  const modules = entries.filter(({ isModule }) => isModule).map(({ path }) => path)
  const paths = [...new Set(entries.map(({ path }) => path))]
  const files = paths.filter((path) => !path.endsWith("/"))
  if (files.length === paths.length) return { paths, modules, unreadable }
  const untracked = await listUntracked(git, checkout, { signal })
  return { paths: [...new Set([...files, ...untracked])], modules, unreadable }
}

/** Lists a checkout's untracked files that git doesn't ignore, in the same way as `listNew`. */
export function listUntracked(git: Git, checkout: string, { signal }: Options): Promise<GitPath[]> {
  return withCopy(git.files, checkout, (index) => {
    return listNew(git, { cwd: checkout, env: { GIT_INDEX_FILE: index }, signal })
  })
}

interface Staging {
  cwd: string
  env: Record<string, string>
}

/** Stages everything in the index named by `env`, like `git add -A`, and writes it as a tree. */
export async function stageAll(git: Git, { cwd, env }: Staging, options: AddOptions): Promise<Staged> {
  const call = { cwd, env, signal: options.signal }
  const added = await addAll(git, { cwd, env }, options)
  const tree = await git(["write-tree"], { ...call, accept: [128] })
  if (tree.code === 0) return { tree: tree.stdout.toString().trim(), ...added }
  // An agent's git may have stored staged objects elsewhere. Reset the index to HEAD, so that git reads these files
  // again.
  await git(["read-tree", "HEAD"], call)
  const addedNow = await addAll(git, { cwd, env }, options)
  return { tree: (await git(["write-tree"], call)).stdout.toString().trim(), ...addedNow }
}

const LINK = "gitdir: "

/** Returns the folder that contains git's files for a checkout: its index, and the state of a merge or rebase. */
export async function gitDirOf(files: Files, checkout: string): Promise<string> {
  const place = `${checkout}/.git`
  if ((await files.stat(place))?.kind === "folder") return place
  const text = (await files.readText(place)) ?? ""
  if (!text.startsWith(LINK)) throw new AppError("git_error", "This folder isn't a checkout.", { folder: checkout })
  let end = text.length
  while (text[end - 1] === "\n") end--
  return resolve(checkout, text.slice(LINK.length, end))
}

/** Copies an index together with its timestamps, because git trusts an index only for files that are older than it. */
export async function copyIndex(files: Files, from: string, to: string): Promise<void> {
  const found = await files.stat(from)
  if (!found) return
  await files.copy(await files.realpath(from), to)
  await files.setTimes(to, found.atimeNs, found.mtimeNs - 1_000_000n)
}

interface Author {
  name: string
  email: string
}

/** Author of commits that aren't part of any branch's history. */
export const OURS: Author = { name: "Switchyard", email: "switchyard@localhost" }

/** Returns the environment variables that set the author and committer of a commit. */
export function identity({ name, email } = OURS): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}

/**
 * Commits a tree with exactly this message. The default author is the author configured in the repository, or
 * Switchyard if none is configured.
 */
export async function commitTree(
  git: Git,
  cwd: string,
  commit: {
    tree: string
    parents: string[]
    message: string
    author?: Author
    at?: string | undefined
    sign?: boolean
    /** True if an author is probably configured, so that git should try to find it first. */
    isNamed?: boolean
  },
  { signal }: Options,
): Promise<string> {
  const { tree, parents, message, at, sign, isNamed } = commit
  const dates: Record<string, string> = at === undefined ? {} : { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at }
  const signing = sign ? ["-S"] : []
  const args = ["commit-tree", ...signing, tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"]
  const call = { cwd, input: message, signal }
  if (isNamed && !commit.author) {
    // Git must not make up an author from the names of the user and the machine.
    const configured = ["-c", "user.useConfigOnly=true", ...args]
    const { code, stdout, stderr } = await git(configured, { ...call, env: dates, accept: [128] })
    if (code === 0) return stdout.toString().trim()
    if (!NOBODY.test(stderr)) throw gitFailure("commit-tree", { code, stdout, stderr, ...FAILED })
  }
  const author = commit.author ?? (await configuredAuthor(git, cwd, { signal }))
  const { stdout } = await git(args, { ...call, env: { ...identity(author), ...dates } })
  return stdout.toString().trim()
}

const FAILED = { killedBy: null, tooMuch: false, tooLate: false }
/** Git's messages if no author's name or address is configured. */
const NOBODY = /auto-detection is disabled|empty ident name|tell me who you are/

async function configuredAuthor(git: Git, cwd: string, { signal }: Options): Promise<Author> {
  const asked = ["config", "-z", "--get-regexp", "^user\\.(name|email)$"]
  const configured = (await git(asked, { cwd, signal, accept: [1] })).stdout.toString().split("\0")
  const value = (key: string) => configured.findLast((each) => each.startsWith(`${key}\n`))?.slice(key.length + 1)
  return { name: value("user.name") || OURS.name, email: value("user.email") || OURS.email }
}

export async function writeEmptyTree(git: Git, cwd: string, { signal }: Options): Promise<string> {
  return (await git(["mktree"], { cwd, input: "", signal })).stdout.toString().trim()
}
