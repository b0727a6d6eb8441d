import { lstat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { textOf } from "./checkout.ts"

/**
 * The repositories that this folder is a part or a linked worktree of, without itself: the main one, then the linked worktree around the
 * folder. Empty for a main repository, and for a folder of none.
 */
export async function repositoriesAround(folder: string): Promise<string[]> {
  const named = resolve(folder)
  const root = await rootOf(named)
  if (root === undefined) return []
  const main = await mainOfLinked(root)
  return [...(main === undefined ? [] : [main]), root].filter((repository) => repository !== named)
}

/** The nearest folder around this one, or itself, in which git finds a repository. */
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

/** The repository must know of its worktree, too: a folder from elsewhere can name any as its own. */
async function mainOfLinked(root: string): Promise<string | undefined> {
  const gitFolder = /^gitdir: (.+)\n?$/.exec((await textOf(join(root, ".git"))) ?? "")?.[1]
  if (gitFolder === undefined) return undefined
  const own = resolve(root, gitFolder)
  const back = (await textOf(join(own, "gitdir")))?.trimEnd()
  const git = dirname(dirname(own))
  const isWorktree = basename(dirname(own)) === "worktrees" && basename(git) === ".git"
  return isWorktree && back !== undefined && resolve(own, back) === join(root, ".git") ? dirname(git) : undefined
}
