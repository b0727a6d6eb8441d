import { basename, dirname, join, resolve } from "node:path"
import { textOf } from "./checkout.ts"

/**
 * The repository of which this folder is a linked worktree of git's; undefined for any other. The repository must know of the worktree,
 * too: a folder from elsewhere can name any as its own.
 */
export async function mainRepositoryOf(folder: string): Promise<string | undefined> {
  const gitFolder = /^gitdir: (.+)\n?$/.exec((await textOf(join(folder, ".git"))) ?? "")?.[1]
  if (gitFolder === undefined) return undefined
  const own = resolve(folder, gitFolder)
  const back = (await textOf(join(own, "gitdir")))?.trimEnd()
  const git = dirname(dirname(own))
  const isWorktree = basename(dirname(own)) === "worktrees" && basename(git) === ".git"
  return isWorktree && back !== undefined && resolve(own, back) === join(resolve(folder), ".git")
    ? dirname(git)
    : undefined
}
