import { lstat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { textOf } from "./checkout.ts"

/**
 * Returns the repositories around this folder: first the main repository, then the linked worktree that contains the
 * folder. Omits the folder itself. Returns an empty list if the folder is a main repository, or isn't in a repository.
 */
export async function repositoriesAround(folder: string): Promise<string[]> {
  const named = resolve(folder)
  const root = await rootOf(named)
  if (root === undefined) return []
  const main = await mainOfLinked(root)
  return [...(main === undefined ? [] : [main]), root].filter((repository) => repository !== named)
}

/** Returns the nearest folder that contains `.git`, starting with this folder and going up. */
async function rootOf(folder: string): Promise<string | undefined> {
  for (let here = folder; ; here = dirname(here)) {
    const isRoot = await lstat(join(here, ".git")).then(
      () => true,
      () => false,
    )
    if (isRoot) return here
    if (here === dirname(here)) return undefined
  }
}

/**
 * Returns the main repository of a linked worktree. The main repository must also list the worktree, because any folder
 * can claim to belong to a repository.
 */
async function mainOfLinked(root: string): Promise<string | undefined> {
  const gitFolder = /^gitdir: (.+)\n?$/.exec((await textOf(join(root, ".git"))) ?? "")?.[1]
  if (gitFolder === undefined) return undefined
  const own = resolve(root, gitFolder)
  const back = (await textOf(join(own, "gitdir")))?.trimEnd()
  const git = dirname(dirname(own))
  const isWorktree = basename(dirname(own)) === "worktrees" && basename(git) === ".git"
  return isWorktree && back !== undefined && resolve(own, back) === join(root, ".git") ? dirname(git) : undefined
}
