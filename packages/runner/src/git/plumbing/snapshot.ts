import { randomUUID } from "node:crypto"
import { copyFile, link, readFile, rename, rm, stat, utimes } from "node:fs/promises"
import { resolve } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Git } from "./git.ts"
import { asInput, fieldsOf, type GitPath, toText } from "./git-path.ts"

interface Options {
  signal: AbortSignal
}

export interface Staged {
  tree: string
  /** Repositories inside the worktree, each with a slash at its end: they are somebody else's work. */
  leftOut: string[]
}

/**
 * Everything that lies in a checkout, untracked files too, as a tree; files to leave out are in it as they were staged
 * before. Neither its index nor its files are touched.
 */
export function snapshot(git: Git, checkout: string, { signal }: Options, leaveOut: GitPath[] = []): Promise<Staged> {
  return withCopy(checkout, (index) => stageAll(git, checkout, { GIT_INDEX_FILE: index }, { signal }, leaveOut))
}

/**
 * The same, and the checkout's index then has everything staged. Whenever it is called off, the index isn't left locked: a
 * git that is asked to stop just as it takes its first lock leaves that behind, so it gets an index of its own.
 */
export function stageInPlace(git: Git, checkout: string, { signal }: Options): Promise<Staged> {
  return withCopy(checkout, async (index, gitDir) => {
    const copied = await writtenAt(index)
    const staged = await stageAll(git, checkout, { GIT_INDEX_FILE: index }, { signal })
    if ((await writtenAt(index)) !== copied) await replaceIndex(gitDir, index)
    return staged
  })
}

/** Undefined where there is no such file. */
async function writtenAt(file: string): Promise<bigint | undefined> {
  return (await stat(file, { bigint: true, throwIfNoEntry: false }))?.mtimeNs
}

async function withCopy<T>(checkout: string, task: (index: string, gitDir: string) => Promise<T>): Promise<T> {
  const gitDir = await gitDirOf(checkout)
  const index = `${gitDir}/switchyard-index-${randomUUID()}`
  try {
    await copyIndex(`${gitDir}/index`, index)
    return await task(index, gitDir)
  } finally {
    await rm(index, { force: true })
    await rm(`${index}.lock`, { force: true })
  }
}

/** Puts an index in the place of a checkout's, as git itself does: its lock becomes the index. */
async function replaceIndex(gitDir: string, fresh: string): Promise<void> {
  const lock = `${gitDir}/index.lock`
  try {
    await link(fresh, lock)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    throw new AppError("worktree_busy", "Another git process is at work in the worktree.", { lock }, { cause: error })
  }
  await rename(lock, `${gitDir}/index`)
}

/** Stages everything, as `add -A` does, and writes it as a tree. */
export async function stageAll(
  git: Git,
  cwd: string,
  env: Record<string, string>,
  { signal }: Options,
  leaveOut: GitPath[] = [],
): Promise<Staged> {
  const call = { cwd, env, signal }
  const { stdout } = await git(["ls-files", "--others", "--exclude-standard", "-z"], call)
  const others = fieldsOf(stdout)
  const nested = others.filter((path) => path.endsWith("/"))
  // Git would add such a repository as a submodule that nobody can fetch, or fail if it has no commit.
  await git(["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"], {
    ...call,
    env: { ...env, GIT_LITERAL_PATHSPECS: "0", ...(others.length > MANY && IN_ONE_PACK) },
    input: asInput([":/", ...nested.map((path) => excluded(path.slice(0, -1))), ...leaveOut.map(excluded)]),
  })
  const tree = await git(["write-tree"], call)
  return { tree: tree.stdout.toString().trim(), leftOut: nested.map(toText) }
}

/** How many new files are too many for a file each among the repository's objects. */
const MANY = 1000
/**
 * Git writes files above this size to one pack, and what is among them already not at all. Small packs would add up, as
 * nothing here runs git's housekeeping.
 */
const IN_ONE_PACK = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.bigFileThreshold",
  GIT_CONFIG_VALUE_0: "1",
}

const excluded = (path: GitPath) => `:(top,exclude,literal)${path}`

/** Where git keeps what is a checkout's own: its index, and what is under way. */
export async function gitDirOf(checkout: string): Promise<string> {
  const place = `${checkout}/.git`
  if ((await stat(place)).isDirectory()) return place
  const [, named = ""] = /^gitdir: (.*?)\n*$/s.exec(await readFile(place, "utf8")) ?? []
  return resolve(checkout, named)
}

/**
 * A copy of an index, to be worked on. It must not look newer than it is: git believes what an index says of a file only
 * if the file is older than the index.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  if (!found) return
  await copyFile(from, to)
  await utimes(to, found.atimeMs / 1000, (found.mtimeMs - 1) / 1000)
}

const OURS = { name: "Switchyard", email: "switchyard@localhost" }

/** For a git that wants to know who it works for. */
export function identity({ name, email } = OURS): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}

/** Makes a commit of a tree, with the message to the letter, by whom the repository's configuration names, who may sign it. */
export async function commitTree(
  git: Git,
  cwd: string,
  { tree, parents, message, sign }: { tree: string; parents: string[]; message: string; sign?: boolean },
  { signal }: Options,
): Promise<string> {
  const asked = ["config", "-z", "--get-regexp", "^user\\.(name|email)$"]
  const configured = (await git(asked, { cwd, signal, accept: [1] })).stdout.toString().split("\0")
  const value = (key: string) => configured.findLast((each) => each.startsWith(`${key}\n`))?.slice(key.length + 1)
  const { name, email } = { name: value("user.name") || OURS.name, email: value("user.email") || OURS.email }
  const signing = sign ? ["-S"] : []
  const args = ["commit-tree", ...signing, tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"]
  const { stdout } = await git(args, { cwd, env: identity({ name, email }), input: message, signal })
  return stdout.toString().trim()
}
