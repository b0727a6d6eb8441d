import { isTaskBranch } from "@switchyard/core/files/worktrees/names"
import type { Branches } from "@switchyard/core/files/worktrees/schema"
import type { Git } from "./git.ts"
import { line, type Repository } from "./repository.ts"

interface Options {
  signal: AbortSignal
}

export interface Ref {
  name: string
  /** Ref that a symbolic ref points to. */
  target: string | undefined
  /** ID of the object that the ref points to. The object may be missing. */
  object: string
  /** True for the branch that is checked out in the repository's folder. */
  isCurrent: boolean
}

/** Lists the refs below the given prefixes. Omits refs that git can't resolve. */
export async function listRefs(
  git: Git,
  { folder }: Repository,
  prefixes: string[],
  { signal }: Options,
): Promise<Ref[]> {
  const format = "--format=%(HEAD)%(refname)%00%(symref)%00%(objectname)"
  const { stdout } = await git(["for-each-ref", format, ...prefixes], { cwd: folder, signal })
  const lines = stdout.toString().split("\n").filter(Boolean)
  return lines.map((each) => {
    const [name = "", target, object = ""] = each.slice(1).split("\0")
    return { name, target: target || undefined, object, isCurrent: each[0] === "*" }
  })
}

export const HEADS = "refs/heads/"
const REMOTE_HEAD = "refs/remotes/origin/HEAD"

/** Lists the branches and the current branch. A single command suffices, unless the current branch has no commit. */
export async function branchesOf(git: Git, repository: Repository, options: Options): Promise<Branches> {
  return branchesAmong(git, repository, await listBranches(git, repository, options), options)
}

/** Lists the branches, and the remote's HEAD if it points to one of them. */
export function listBranches(git: Git, repository: Repository, options: Options): Promise<Ref[]> {
  return listRefs(git, repository, [HEADS, REMOTE_HEAD], options)
}

/** Returns the branches among the listed refs, which contain all branches and the remote's HEAD. */
export async function branchesAmong(
  git: Git,
  { folder, commonDir }: Repository,
  refs: Ref[],
  { signal }: Options,
): Promise<Branches> {
  const call = { cwd: folder, signal }
  const heads = refs.filter(({ name }) => name.startsWith(HEADS))
  const nameOf = ({ name }: Ref) => name.slice(HEADS.length)
  const checkedOut = heads.find(({ isCurrent }) => isCurrent)
  const current = checkedOut
    ? nameOf(checkedOut)
    : ((await line(git, ["symbolic-ref", "--short", "--quiet", "HEAD"], call)) ?? null)
  const listed = refs.find(({ name }) => name === REMOTE_HEAD)
  // If the remote's HEAD points to a missing branch, git doesn't list that HEAD, so look for its file too.
  const isThere = !listed && (await git.files.exists(`${commonDir}/${REMOTE_HEAD}`))
  const remote = isThere ? await line(git, ["symbolic-ref", "--quiet", REMOTE_HEAD], call) : listed?.target
  const shown = heads.map(nameOf).filter((name) => !isTaskBranch(name))
  const wanted = [remote?.slice("refs/remotes/origin/".length), "main", "master", current]
  return {
    branches: shown.sort((a, b) => Number(b === current) - Number(a === current)),
    default: wanted.find((name) => name && shown.includes(name)) ?? null,
    current,
  }
}
