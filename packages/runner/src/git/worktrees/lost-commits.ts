import { join } from "node:path"
import type { CommittedFiles } from "@switchyard/core/files/worktrees/worktrees"
import type { Files } from "../../files/files.ts"
import type { Git } from "../plumbing/git.ts"
import { type GitPath, inFolder } from "../plumbing/git-path.ts"
import { lineOf } from "../plumbing/known-git.ts"
import { type InnerRepository, onlyIn } from "./inner-repositories.ts"
import { SAVE_REF, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Folder next to the worktree. It contains a git folder that sandboxed programs see instead of the repository's. */
export const AGENT_GIT = "git"

/**
 * Finds the tips of commits that are reachable only from the worktree or its own branch, which is removed with the
 * worktree.
 */
export async function lostWithWorktree(
  worktree: Worktree,
  gitDir: string,
  { committed, ...options }: Options & { committed?: CommittedFiles | undefined },
): Promise<string[]> {
  const { git, branch, folder, repository, isTheirs } = worktree
  const log = join(repository.commonDir, "logs/refs/heads", branch)
  // In the sandbox, an agent has its own refs (such as a stash) and its own reflogs for all branches.
  const view = join(folder, AGENT_GIT)
  const inView = await Promise.all(["refs", "logs"].map((name) => filesBelow(git.files, view, name)))
  const records = [Buffer.from(log), ...inView.flat().map((name) => inFolder(view, name))]
  const named = await tipsIn(git.files, gitDir, records)
  const line = committed && committed.head !== committed.base ? lineOf(worktree.known, committed.head) : []
  // A new commit is in no other branch, and contains all the others. A person's own branch keeps its commits.
  if (committed && !isTheirs?.branch && line.length > 1 && named.every((tip) => line.includes(tip)))
    return [committed.head]
  const tips = [...named, `refs/heads/${branch}`]
  // Git reads per-worktree refs from the worktree's own git folder.
  const exclude = `--exclude=refs/heads/${isTheirs?.branch ? "" : branch}`
  const args = ["--single-worktree", "--stdin", "--not", exclude, "--all"]
  return lostCommits(git, { cwd: repository.folder, args, input: `${tips.join("\n")}\n`, ...options })
}

/** Finds the tips of commits that would be lost if a nested repository were deleted. */
export async function lostWithInner(git: Git, inner: InnerRepository, options: Options): Promise<string[]> {
  const { cwd, gitDir, commonDir, isBare } = inner
  if (commonDir === null) {
    const env = isBare ? onlyIn(gitDir) : {}
    return lostCommits(git, { cwd, env, args: ["--all", "--reflog", "--not", "--remotes"], ...options })
  }
  // A linked worktree's branches remain in the main repository.
  const input = `${(await tipsIn(git.files, gitDir)).join("\n")}\n`
  const args = ["--single-worktree", "--stdin", "--not", "--all"]
  return lostCommits(git, { cwd, env: { GIT_DIR: commonDir }, args, input, ...options })
}

/** Returns those of the listed commits that no other listed commit contains. */
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

/**
 * Returns the commits that a checkout's own records refer to: HEAD, its reflog, the checkout's refs, unfinished
 * operations and the given files. Skips the runner's last save, because the agent still has the saved work or has
 * replaced it.
 */
async function tipsIn(files: Files, gitDir: string, others: Buffer[] = []): Promise<string[]> {
  const own = ["HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge/orig-head"]
  const places = [
    ...[...own, "rebase-apply/orig-head", "rebase-merge/stopped-sha", "MERGE_AUTOSTASH", "rebase-merge/autostash"],
    ...["logs/HEAD", ...(await filesBelow(files, gitDir, "refs")).filter((ref) => ref !== SAVE_REF)],
  ].map((name) => inFolder(gitDir, name))
  const texts = await Promise.all([...places, ...others].map((place) => files.readRegular(place)))
  const named = texts.flatMap((text) => text?.toString("latin1").match(COMMIT) ?? [])
  return [...new Set(named.filter((each) => !/^0+$/.test(each)))]
}

/** Lists the files under `path` in `folder`, as paths relative to `folder`. */
export async function filesBelow(files: Files, folder: string, path: GitPath): Promise<GitPath[]> {
  const entries = await files.list(inFolder(folder, path)).catch(() => [])
  const lists = entries.map(({ name, kind }) => {
    const place = `${path}/${name.toString("latin1")}`
    return kind === "folder" ? filesBelow(files, folder, place) : [place]
  })
  return (await Promise.all(lists)).flat()
}
