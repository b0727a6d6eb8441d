import { join } from "node:path"
import type { Files } from "../../files/files.ts"
import type { Git } from "../plumbing/git.ts"
import { fieldsOf, type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { type InnerRepository, innerRepositories } from "./inner-repositories.ts"
import type { Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Work in a checkout that exists nowhere else, and would be lost with it. */
export interface Losses {
  cwd: string
  gitDir: string
  /** Heads of the commits that nothing else reaches. */
  heads: string[]
  /** Whether files differ from the commit that is checked out, or the index does. */
  isDirty: boolean
  /** Whether the index has something of its own: staged entries, or those of a conflict. */
  index: GitPath[] | null
  /** Size of the changed and untracked files, and of the commits to copy. */
  bytes: number
  inner: (Losses & { repository: InnerRepository })[]
  /** Files and folders that git ignores: they are named, and not kept. */
  ignored: GitPath[]
}

/** Whether nothing would be lost, except what git ignores. */
export function isNothing({ heads, isDirty, inner }: Losses): boolean {
  return heads.length === 0 && !isDirty && inner.length === 0
}

/**
 * Finds what would be lost if the worktree were removed: commits of its branch, of HEAD and of their reflogs, its index, its
 * files, and the same in each repository inside it. Runs three processes of git, and as many for each inner repository.
 */
export async function findLosses(worktree: Worktree, options: Options): Promise<Losses> {
  const { git, tree: cwd, repository } = worktree
  const gitDir = await gitDirOf(git.files, cwd)
  const lost = await lostCommits(git, {
    cwd: repository.folder,
    // Refs of the worktree alone are found in its own folder.
    args: [
      "--single-worktree",
      "--stdin",
      "--not",
      `--exclude=refs/heads/${worktree.isTheirs?.branch ? "" : worktree.branch}`,
      "--all",
    ],
    input: `${(await tipsOf(worktree, gitDir)).join("\n")}\n`,
    ...options,
  })
  return checkoutLosses(git, { cwd, gitDir, heads: lost }, options)
}

async function checkoutLosses(
  git: Git,
  { cwd, gitDir, heads }: Pick<Losses, "cwd" | "gitDir" | "heads">,
  options: Options,
): Promise<Losses> {
  const status = await statusIn(git, cwd, options)
  const entries = fieldsOf((await git(["ls-files", "--stage", "-z"], { cwd, ...options })).stdout)
  const gitlinks = entries.flatMap((entry) =>
    entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : [],
  )
  const nested = status.untracked.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1))
  const repositories = await innerRepositories(git.files, { cwd, gitDir, gitlinks: [...new Set(gitlinks)], nested })
  const inner: Losses["inner"] = []
  for (const repository of repositories) {
    const losses = await innerLosses(git, repository, options)
    if (!isNothing(losses)) inner.push({ ...losses, repository })
  }
  // A submodule's own changes are kept with it.
  const isFile = (path: GitPath) => !nested.includes(path.replace(/\/$/, "")) && !gitlinks.includes(path)
  const files = [...status.changed, ...status.untracked].filter(isFile)
  const sizes = await Promise.all(files.map((path) => sizeOf(git.files, inFolder(cwd, path))))
  const bytes = [...sizes, ...inner.map((each) => each.bytes)].reduce((sum, size) => sum + size, 0)
  const hasIndex = status.isStaged
  const isDirty = files.length > 0 || status.changed.some((path) => gitlinks.includes(path)) || hasIndex
  return { cwd, gitDir, heads, isDirty, index: hasIndex ? entries : null, bytes, inner, ignored: status.ignored }
}

async function innerLosses(git: Git, { cwd, gitDir, isBare }: InnerRepository, options: Options): Promise<Losses> {
  const env: Record<string, string> = isBare ? { GIT_DIR: gitDir, GIT_WORK_TREE: gitDir } : {}
  const args = ["--all", "--reflog", "--not", "--remotes"]
  const heads = await lostCommits(git, { cwd, env, args, ...options })
  const none = { cwd, gitDir, heads, isDirty: false, index: null, bytes: 0, inner: [], ignored: [] }
  const losses = isBare ? none : await checkoutLosses(git, { cwd, gitDir, heads }, options)
  if (heads.length === 0) return losses
  const asked = ["rev-list", "--disk-usage", "--objects", "--stdin", "--not", "--remotes"]
  const { stdout } = await git(asked, { cwd, env, input: `${heads.join("\n")}\n`, ...options })
  return { ...losses, bytes: losses.bytes + Number(stdout.toString()) }
}

/** Heads among the commits that a list has. */
async function lostCommits(
  git: Git,
  { args, ...call }: { cwd: string; args: string[]; input?: string; env?: Record<string, string> } & Options,
): Promise<string[]> {
  const { stdout } = await git(["rev-list", "--parents", "--ignore-missing", ...args], call)
  const lines = stdout.toString().split("\n").filter(Boolean)
  const parents = new Set(lines.flatMap((each) => each.split(" ").slice(1)))
  return lines.map((each) => each.slice(0, each.search(/ |$/))).filter((commit) => !parents.has(commit))
}

const COMMIT = /\b[0-9a-f]{40,64}\b/g

/** Commits that the worktree's own records name: HEAD, the branch, their reflogs, and operations that aren't finished. */
async function tipsOf({ git: { files }, branch, repository }: Worktree, gitDir: string): Promise<string[]> {
  const { commonDir } = repository
  const own = ["HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge/orig-head"]
  const places = [
    ...[...own, "rebase-apply/orig-head", "rebase-merge/stopped-sha", "MERGE_AUTOSTASH", "rebase-merge/autostash"],
    ...["logs/HEAD", ...(await filesBelow(files, gitDir, "refs"))],
  ].map((name) => join(gitDir, name))
  const texts = await Promise.all(
    [...places, join(commonDir, "logs/refs/heads", branch)].map((place) => files.readRegular(Buffer.from(place))),
  )
  const named = texts.flatMap((text) => text?.toString("latin1").match(COMMIT) ?? [])
  return [...new Set([...named.filter((each) => !/^0+$/.test(each)), `refs/heads/${branch}`])]
}

async function filesBelow(files: Files, folder: string, path: string): Promise<string[]> {
  const entries = await files.list(join(folder, path)).catch(() => [])
  const lists = entries.map(({ name, kind }) => {
    const place = `${path}/${name}`
    return kind === "folder" ? filesBelow(files, folder, place) : [place]
  })
  return (await Promise.all(lists)).flat()
}

async function statusIn(git: Git, cwd: string, options: Options) {
  const flags = ["--untracked-files=all", "--ignored=matching", "--ignore-submodules=none", "--no-renames"]
  const fields = fieldsOf((await git(["status", "--porcelain", "-z", ...flags], { cwd, ...options })).stdout)
  const of = (code: string) => fields.flatMap((field) => (field.startsWith(code) ? [field.slice(3)] : []))
  const changed = fields.filter((field) => !/^(\?\?|!!) /.test(field))
  return {
    changed: changed.map((field) => field.slice(3)),
    /** Whether the index differs from the commit. */
    isStaged: changed.some((field) => !field.startsWith(" ")),
    untracked: of("?? "),
    ignored: of("!! "),
  }
}

async function sizeOf(files: Files, place: Buffer): Promise<number> {
  const found = await files.lstat(place).catch(() => undefined)
  return found?.kind === "file" ? found.size : 0
}

/** Sums the sizes of the ignored files and folders at the top of a checkout, for people. */
export async function describeIgnored(files: Files, { cwd, ignored }: Losses) {
  const tops = ignored.slice(0, NAMED)
  const sizes = await Promise.all(
    tops.map((path) => sizeBelow(files, inFolder(cwd, path.replace(/\/$/, "")), { left: COUNTED })),
  )
  const named = tops.map((path, index) => ({ path: toText(path), ...(sizes[index] ?? { files: 0, bytes: 0 }) }))
  return { count: ignored.length, named }
}

const NAMED = 20
/** Limit of the files to count in one folder. */
const COUNTED = 20_000

async function sizeBelow(
  files: Files,
  place: Buffer,
  room: { left: number },
): Promise<{ files: number; bytes: number }> {
  const found = await files.lstat(place).catch(() => undefined)
  if (!found || room.left-- <= 0) return { files: 0, bytes: 0 }
  if (found.kind !== "folder") return { files: 1, bytes: found.kind === "file" ? found.size : 0 }
  const sum = { files: 0, bytes: 0 }
  for (const { name } of await files.list(place).catch(() => [])) {
    const below = await sizeBelow(files, Buffer.concat([place, Buffer.from("/"), name]), room)
    sum.files += below.files
    sum.bytes += below.bytes
  }
  return sum
}
