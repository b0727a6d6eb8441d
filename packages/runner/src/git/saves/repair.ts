import { randomUUID } from "node:crypto"
import { basename, dirname, join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { Damage } from "@switchyard/core/files/worktrees/schema"
import type { Files } from "../../files/files.ts"
import { NEVER } from "../plumbing/git.ts"
import { inFolder } from "../plumbing/git-path.ts"
import { branchesOf } from "../plumbing/refs.ts"
import { checkoutsOf, detachBranch, findHead, line, mayHaveBranch } from "../plumbing/repository.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { readableNow } from "../worktrees/readable.ts"
import { readAbout, removeCheckout, type Work, type Worktree, writeWork } from "../worktrees/worktree-record.ts"
import { checkOutWork } from "./restore-snapshot.ts"
import { readWorkSnapshot } from "./work-snapshot.ts"

interface Options {
  signal: AbortSignal
}

export interface Repaired {
  damage: Damage
  /** Source of the restored files: the last save, the branch's last commit, or the existing folder. */
  from: "save" | "branch" | "folder"
  /** New location of a repository that an agent had created in the worktree's place. */
  setAside: string | null
  /** Nested repositories that the save contains but that couldn't be restored. */
  missing: string[]
}

/** Returns the folder that contains a worktree's files during a repair. */
const asideOf = ({ folder }: Worktree) => join(folder, "tree.aside")

/**
 * Returns how an agent damaged a worktree, if git no longer recognises the worktree. Returns undefined if it is intact.
 */
export async function damageOf(worktree: Worktree, options: Options): Promise<Damage | undefined> {
  const { git, tree } = worktree
  const { files } = git
  await removePipes(worktree)
  await followMove(worktree, options)
  if (!(await readAbout(worktree))) return (await isForgotten(worktree, options)) ? "folder_missing" : undefined
  if (await files.exists(asideOf(worktree))) return "git_replaced"
  const found = await files.lstat(tree).catch(() => undefined)
  if (found?.kind !== "folder") return "folder_missing"
  const link = await files.lstat(join(tree, ".git")).catch(() => undefined)
  if (!link) return "git_missing"
  if (link.kind !== "file" || !(await isLinked(worktree))) return "git_replaced"
  const readable = await readableNow(worktree)
  if (readable.isKnown) return undefined
  if (await canRead(worktree, "HEAD", options)) {
    readable.note()
    return undefined
  }
  const on = await line(git, ["symbolic-ref", "--quiet", "HEAD"], { cwd: tree, ...options })
  const own = `refs/heads/${worktree.branch}`
  // An agent's orphan branch may not have a commit yet.
  return on !== undefined && on !== own && (await canRead(worktree, own, options)) ? undefined : "git_broken"
}

/** True if git can read a commit and the index. */
async function canRead({ git, tree: cwd }: Worktree, commit: string, options: Options): Promise<boolean> {
  const asked = ["diff-index", "--cached", "--quiet", commit, "--", ".git"]
  return (await git(asked, { cwd, accept: [1, 128], ...options })).code !== 128
}

/**
 * Removes pipes and other special files that an agent created in place of git's own files, because opening them would
 * block git forever.
 */
async function removePipes({ git: { files }, tree }: Worktree): Promise<void> {
  const gitDir = await gitDirOf(files, tree).catch(() => undefined)
  for (const folder of gitDir === undefined ? [tree] : [tree, gitDir]) {
    for (const { name, kind } of await files.list(folder).catch(() => [])) {
      const isGits = folder === gitDir || name.toString("latin1").startsWith(".git")
      if (isGits && kind === "other") await files.unlink(inFolder(folder, name.toString("latin1")))
    }
  }
}

/**
 * Updates git's absolute paths after the data folder was moved, possibly together with the repository. Otherwise, git
 * would discard its records of worktrees that it can't find. A copied worktree doesn't take over the records of its
 * original.
 */
async function followMove(worktree: Worktree, options: Options): Promise<void> {
  const { git, repository, tree } = worktree
  const { files } = git
  const named = await gitDirOf(files, tree).catch(() => undefined)
  if (named === undefined || named === join(tree, ".git")) return
  const gitDir = join(repository.commonDir, "worktrees", basename(named))
  const place = (await files.readText(join(gitDir, "gitdir")).catch(() => undefined))?.trimEnd()
  const isThere = place === join(tree, ".git") ? await files.exists(named) : place && (await files.exists(place))
  if (place === undefined || isThere) return
  await git(["worktree", "repair", "--", tree], { cwd: repository.folder, accept: [1, 128], ...options })
}

/**
 * True if the work has a branch but no record. Branch and record are always deleted together, so the record was lost.
 */
async function isForgotten(worktree: Worktree, options: Options): Promise<boolean> {
  const { git, repository, branch, tree } = worktree
  if (!(await mayHaveBranch(git.files, repository, branch))) return false
  if (!(await findHead(git, repository, branch, options))) return false
  const checkouts = await checkoutsOf(git, repository, options)
  return checkouts.every((each) => each.branch !== branch || each.path === tree)
}

/** True if the worktree's `.git` points to a worktree folder of the repository. */
async function isLinked({ git: { files }, tree, repository }: Worktree): Promise<boolean> {
  try {
    const gitDir = await gitDirOf(files, tree)
    const [folder, common] = await Promise.all([files.realpath(dirname(gitDir)), files.realpath(repository.commonDir)])
    return folder === join(common, "worktrees") && (await files.exists(join(gitDir, "HEAD")))
  } catch {
    return false
  }
}

/**
 * Repairs the worktree. Keeps existing files. If the worktree's folder is gone, restores the files from the last save,
 * or from the branch if the branch is newer. Throws `worktree_damaged` if there is neither a save nor a branch.
 */
export async function repairWork(
  worktree: Worktree,
  damage: Damage,
  tip: string | null,
  options: Options,
): Promise<Repaired> {
  const { git, repository, branch } = worktree
  const saved = tip === null ? undefined : await readWorkSnapshot(worktree, tip, options)
  const [known, onBranch] = await Promise.all([readAbout(worktree), findHead(git, repository, branch, options)])
  const head = await newest(worktree, onBranch, saved?.head, options)
  const about = known ?? saved?.about ?? (head && (await guessed(worktree, head, options)))
  if (!head || !about) {
    const message = "The worktree is damaged and its work can't be recovered. Delete or recreate it."
    throw new AppError("worktree_damaged", message, { damage })
  }
  const isSaved = saved !== undefined && saved.head === head
  const setAside = damage === "folder_missing" ? null : await relink(worktree, head, options)
  const tree = { head, tip: isSaved ? tip : null }
  const missing = damage === "folder_missing" ? await checkOutWork(worktree, tree, options) : []
  await writeWork(worktree, about)
  const from = damage !== "folder_missing" ? "folder" : isSaved ? "save" : "branch"
  return { damage, from, setAside, missing }
}

/** Returns the newer of two commits of the work. If the commits have diverged, returns the branch's commit. */
async function newest(worktree: Worktree, onBranch: string | undefined, saved: string | undefined, options: Options) {
  if (!onBranch || !saved) return onBranch ?? saved
  const asked = ["merge-base", "--is-ancestor", onBranch, saved]
  const { code } = await worktree.git(asked, { cwd: worktree.repository.folder, accept: [1, 128], ...options })
  return code === 0 ? saved : onBranch
}

/** Reconstructs the work's record if only its branch is left. */
async function guessed(worktree: Worktree, head: string, options: Options): Promise<Work | undefined> {
  const { git, repository } = worktree
  const target = (await branchesOf(git, repository, options)).default
  const asked = ["merge-base", target ? `refs/heads/${target}` : "HEAD", head]
  const base = await line(git, asked, { cwd: repository.folder, ...options })
  return base ? { base_commit: base, target_branch: target } : undefined
}

/**
 * Registers an existing folder as the worktree again. If the folder contains another repository, moves that repository
 * and returns its new location.
 */
async function relink(worktree: Worktree, head: string, options: Options): Promise<string | null> {
  const { git, repository, tree, folder, branch } = worktree
  const { files } = git
  const aside = asideOf(worktree)
  if (!(await files.exists(aside))) await files.rename(tree, aside)
  const found = await files.lstat(join(aside, ".git")).catch(() => undefined)
  const setAside = found?.kind === "folder" ? join(folder, `replaced-${randomUUID()}.git`) : null
  if (setAside) await files.rename(join(aside, ".git"), setAside)
  const modules = join(folder, "modules.aside")
  const registered = await registeredAs(worktree)
  if (registered && !(await files.exists(modules))) await moveFolder(files, join(registered, "modules"), modules)
  await removeCheckout(worktree, tree, options)
  await detachBranch(git, repository, branch, options)
  const add = ["worktree", "add", "--quiet", "--force", "--no-track", "--no-checkout", "-B", branch, "--", tree, head]
  await git(add, { cwd: repository.folder, signal: NEVER })
  await files.remove(join(aside, ".git"))
  await files.rename(join(tree, ".git"), join(aside, ".git"))
  await files.remove(tree)
  await files.rename(aside, tree)
  await moveFolder(files, modules, join(await gitDirOf(files, tree), "modules"))
  await git(["reset", "--quiet"], { cwd: tree, ...options })
  return setAside
}

/** Returns the folder with git's records of the worktree, even if the worktree's link to this folder is broken. */
async function registeredAs({ git: { files }, repository, tree }: Worktree): Promise<string | undefined> {
  const all = join(repository.commonDir, "worktrees")
  for (const { name } of await files.list(all).catch(() => [])) {
    const gitDir = join(all, name.toString())
    const place = await files.readText(join(gitDir, "gitdir")).catch(() => undefined)
    if (place?.trimEnd() === join(tree, ".git")) return gitDir
  }
  return undefined
}

async function moveFolder(files: Files, from: string, to: string): Promise<void> {
  if ((await files.lstat(from))?.kind === "folder") await files.rename(from, to)
}
