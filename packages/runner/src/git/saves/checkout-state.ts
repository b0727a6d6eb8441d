import { join } from "node:path"
import * as z from "zod"
import type { Git } from "../plumbing/git.ts"
import { asInput, fieldsOf, type GitPath, inFolder } from "../plumbing/git-path.ts"
import { line } from "../plumbing/repository.ts"
import { isOfOperation } from "../worktrees/commit-work.ts"
import { indexTree } from "../worktrees/keep-work.ts"
import type { Losses } from "../worktrees/losses.ts"
import { filesBelow } from "../worktrees/lost-commits.ts"

interface Options {
  signal: AbortSignal
}

type Checkout = Pick<Losses, "cwd" | "gitDir">

/** State of a checkout, excluding its commits and files. A save stores each part as a tree. */
export const CheckoutState = z.object({
  /** Tree of the index entries, with one folder per stage. Null if the index matches the commit. */
  index: z.string().nullable(),
  /**
   * Tree of git's records of an unfinished operation, such as a rebase. Null if there is none, or if its files are too
   * large.
   */
  operation: z.string().nullable(),
})
export type CheckoutState = z.infer<typeof CheckoutState>

/**
 * Stores a checkout's state: the index in the checkout's own repository, which contains the index's objects, and the
 * operation in the repository `keeper`.
 */
export async function saveCheckout(
  git: Git,
  { cwd, gitDir, index }: Pick<Losses, "cwd" | "gitDir" | "index">,
  keeper: string,
  options: Options,
): Promise<CheckoutState> {
  return {
    index: index && (await indexTree(git, { cwd, gitDir }, index, options)),
    operation: await saveOperation(git, gitDir, keeper, options),
  }
}

/**
 * Restores a checkout's state after its files were restored. `keeper` is the repository that contains the operation's
 * objects.
 */
export async function restoreCheckout(
  git: Git,
  { cwd, gitDir }: Checkout,
  { index, operation, keeper }: CheckoutState & { keeper: string },
  options: Options,
): Promise<void> {
  if (index !== null) await restoreIndex(git, cwd, index, options)
  if (operation === null) return
  const { stdout } = await git(["ls-tree", "-r", "-z", operation], { cwd: keeper, ...options })
  for (const entry of fieldsOf(stdout)) {
    const path = entry.slice(entry.indexOf("\t") + 1)
    if (!isOfOperation(path.split("/")[0] ?? "")) continue
    const blob = await git(["cat-file", "blob", entry.split(/[ \t]/)[2] ?? ""], { cwd: keeper, ...options })
    await git.files.replace(gitDir, path, 0o644, blob.stdout)
  }
}

async function restoreIndex(git: Git, cwd: string, tree: string, options: Options): Promise<void> {
  const call = { cwd, ...options }
  const lines = fieldsOf((await git(["ls-tree", "-r", "-z", tree], call)).stdout).map((entry) => {
    const [mode = "", , blob = ""] = entry.split(/[ \t]/)
    const path = entry.slice(entry.indexOf("\t") + 1)
    const slash = path.indexOf("/")
    return `${mode} ${blob} ${path.slice(0, slash)}\t${path.slice(slash + 1)}`
  })
  await git(["read-tree", "--empty"], call)
  await git(["update-index", "-z", "--index-info"], { ...call, input: asInput(lines) })
  await git(["update-index", "-q", "--refresh"], { ...call, accept: [1] })
}

/** Maximum size of the files of an unfinished operation, which include a rebase's patches. */
const OPERATION_BYTES = 16 * 1024 * 1024

async function saveOperation(git: Git, gitDir: string, keeper: string, options: Options): Promise<string | null> {
  const paths: GitPath[] = []
  for (const { name, kind } of await git.files.list(gitDir)) {
    const path = name.toString("latin1")
    if (isOfOperation(path)) paths.push(...(kind === "folder" ? await filesBelow(git.files, gitDir, path) : [path]))
  }
  const contents = await Promise.all(paths.map((path) => git.files.readRegular(inFolder(gitDir, path))))
  const bytes = contents.reduce((sum, content) => sum + (content?.length ?? 0), 0)
  if (paths.length === 0 || bytes > OPERATION_BYTES) return null
  const index = join(gitDir, "switchyard-operation")
  const call = { cwd: keeper, env: { GIT_INDEX_FILE: index }, ...options }
  const lines: string[] = []
  for (const [at, input] of contents.entries()) {
    if (!input) continue
    const blob = await line(git, ["hash-object", "-w", "--stdin"], { ...call, input })
    lines.push(`100644 ${blob} 0\t${paths[at]}`)
  }
  try {
    await git(["update-index", "-z", "--index-info"], { ...call, input: asInput(lines) })
    return (await git(["write-tree"], call)).stdout.toString().trim()
  } finally {
    await git.files.remove(index)
  }
}

export const StashEntry = z.object({ commit: z.string(), message: z.string() })
export type StashEntry = z.infer<typeof StashEntry>

/** Lists a repository's stash entries, newest first. */
export async function stashOf(
  git: Git,
  call: { cwd: string; env?: Record<string, string> } & Options,
): Promise<StashEntry[]> {
  const asked = ["log", "--walk-reflogs", "-z", "--format=%H%x09%gs", "refs/stash", "--"]
  const { code, stdout } = await git(asked, { ...call, accept: [128] })
  if (code !== 0) return []
  const entries = stdout.toString().split("\0").filter(Boolean)
  return entries.map((entry) => ({
    commit: entry.slice(0, entry.indexOf("\t")),
    message: entry.slice(entry.indexOf("\t") + 1),
  }))
}

export async function restoreStash(git: Git, cwd: string, entries: StashEntry[], options: Options): Promise<void> {
  for (const { commit, message } of entries.toReversed()) {
    await git(["stash", "store", "--quiet", "-m", message, commit], { cwd, ...options })
  }
}
