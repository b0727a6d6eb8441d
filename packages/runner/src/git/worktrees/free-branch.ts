import { AppError } from "@switchyard/core/errors"
import { sessionBranches } from "@switchyard/core/files/worktrees/names"
import type { Ref } from "../plumbing/refs.ts"

/**
 * Returns a branch name for the session that doesn't collide with any local branch among the refs. Prefers a name that
 * doesn't collide with a remote branch either, so that the branch can be pushed. Throws if every candidate collides.
 */
export function freeBranch(branch: string, refs: Pick<Ref, "name">[]): string {
  const own = refs.flatMap(({ name }) => /^refs\/heads\/(.*)$/.exec(name)?.[1] ?? [])
  const remote = refs.flatMap(({ name }) => /^refs\/remotes\/[^/]+\/(.*)$/.exec(name)?.[1] ?? [])
  const names = sessionBranches(branch)
  const possible = names.filter((name) => !own.some((other) => collide(name, other)))
  const free = possible.find((name) => !remote.some((other) => collide(name, other))) ?? possible[0]
  if (free) return free
  const inTheWay = own.filter((other) => names.some((name) => collide(name, other)))
  const first = inTheWay[0] ?? ""
  const message = `The agent's branch can't be created, because its name collides with the repository's branch ${inTheWay.join(" and ")}. Rename a branch, for example with \`git branch -m ${first} ${first.replaceAll("/", "-")}-old\`.`
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
