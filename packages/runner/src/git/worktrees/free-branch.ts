import { AppError } from "@switchyard/core/errors"
import { sessionBranches } from "@switchyard/core/files/worktrees/names"
import type { Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/**
 * Returns a branch name for the session that doesn't collide with any local branch. Prefers a name that doesn't collide
 * with a remote branch either, so that the branch can be pushed. Throws if every candidate collides.
 */
export async function freeBranch({ git, repository, branch }: Worktree, { signal }: Options): Promise<string> {
  const asked = ["for-each-ref", "--format=%(refname)", "refs/heads/", "refs/remotes/"]
  const refs = (await git(asked, { cwd: repository.folder, signal })).stdout.toString().split("\n").filter(Boolean)
  const own = refs.flatMap((ref) => /^refs\/heads\/(.*)$/.exec(ref)?.[1] ?? [])
  const remote = refs.flatMap((ref) => /^refs\/remotes\/[^/]+\/(.*)$/.exec(ref)?.[1] ?? [])
  const names = sessionBranches(branch)
  const possible = names.filter((name) => !own.some((other) => collide(name, other)))
  const free = possible.find((name) => !remote.some((other) => collide(name, other))) ?? possible[0]
  if (free) return free
  const inTheWay = own.filter((other) => names.some((name) => collide(name, other)))
  const first = inTheWay[0] ?? ""
  const message = `The agent's branch can't be created, because the repository has ${inTheWay.join(" and ")}. Rename a branch, for example with \`git branch -m ${first} ${first.replaceAll("/", "-")}-old\`.`
  throw new AppError("repository_error", message, { branches: inTheWay })
}

/**
 * True if a repository can't contain both branches: one branch's name is a folder in the other's name, or two parts of
 * the names differ only in case, which many file systems ignore. Equal names don't collide.
 */
function collide(one: string, other: string): boolean {
  const [names, others] = [one.split("/"), other.split("/")]
  for (const [depth, name] of names.entries()) {
    const beside = others[depth]
    if (beside === undefined) return true
    if (name !== beside) return name.toLowerCase() === beside.toLowerCase()
  }
  return names.length < others.length
}
