import { createHash } from "node:crypto"
import { dirname, join, relative } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import * as z from "zod"
import type { Git } from "../plumbing/git.ts"
import { line } from "../plumbing/repository.ts"
import { onlyIn } from "../worktrees/inner-repositories.ts"
import { commitLosses } from "../worktrees/keep-work.ts"
import type { Losses } from "../worktrees/losses.ts"
import type { Worktree } from "../worktrees/worktree-record.ts"
import { CheckoutState, restoreCheckout, restoreStash, StashEntry, saveCheckout, stashOf } from "./checkout-state.ts"

interface Options {
  signal: AbortSignal
}

/**
 * A saved repository inside a worktree, as a bundle of its refs and of the commits that aren't reachable from any ref.
 */
export const InnerSave = CheckoutState.extend({
  /** Path in the worktree. Null for a submodule that isn't checked out. */
  folder: z.string().nullable(),
  /**
   * Hash of the repository's refs and commits. If a bundle with the same name was already stored, it isn't stored
   * again.
   */
  name: z.string(),
  /** Path of the git folder, relative to the worktree's git folder or to the worktree. */
  gitDir: z.object({ below: z.enum(["git", "tree"]), path: z.string() }),
  bundle: z.string(),
  /**
   * Commit that keeps commits reachable that would otherwise be lost. The commit's tree contains the files and the
   * index.
   */
  commit: z.string(),
  hasFiles: z.boolean(),
  /** Ref or commit ID that HEAD points to. */
  head: z.string(),
  stash: z.array(StashEntry),
  /** Commits whose parents are missing in a shallow clone. Null if the clone isn't shallow. */
  shallow: z.string().nullable(),
  url: z.string().nullable(),
})
export type InnerSave = z.infer<typeof InnerSave>

type Inner = Losses["inner"][number]

/** Maximum size of a nested repository's history in a save. */
const LIMIT_BYTES = 100 * 1024 * 1024
/** Ref to the bundled commits that aren't reachable from the repository's own refs. */
const SAVED = "refs/switchyard/saved"
/** Ref that keeps restored commits reachable if no other ref refers to them. */
const RESTORED = "refs/switchyard/restored"
/** Fixed date, so that equal work produces equal commits. */
const EPOCH = "@0 +0000"

export interface InnerSaves {
  saves: InnerSave[]
  /** Commits of linked worktrees. The outer repository already contains them. */
  tips: string[]
  leftOut: SkippedFile[]
}

/** Saves the nested repositories of a worktree that contain work of their own, outermost first. */
export async function saveInner(
  worktree: Worktree,
  { inner, gitDir, cwd }: Losses,
  since: (name: string) => Promise<string | undefined>,
  options: Options,
): Promise<InnerSaves> {
  const found: InnerSaves = { saves: [], tips: [], leftOut: [] }
  const places = { git: gitDir, tree: cwd }
  const saveAll = async (list: Inner[], prefix: string): Promise<void> => {
    for (const each of list) {
      const path = `${prefix}${each.repository.path}`
      try {
        const saved = await saveOne(worktree, each, places, since, options)
        if (typeof saved === "string") found.tips.push(saved)
        else if (saved) found.saves.push(saved)
        if (each.repository.commonDir !== null) found.leftOut.push({ path, reason: "worktree" })
      } catch (error) {
        if (!isAppError(error, "git_error") && !isAppError(error, "worktree_conflict")) throw error
        const isLarge = each.bytes > LIMIT_BYTES || /printed more/.test(error.message)
        found.leftOut.push({ path, reason: isLarge ? "too_large" : "unreadable" })
      }
      await saveAll(each.inner, `${path}/`)
    }
  }
  await saveAll(inner, "")
  return found
}

/**
 * Saves one nested repository. Returns only its commit if the worktree's own repository already contains that commit.
 */
async function saveOne(
  worktree: Worktree,
  { repository: inner, ...losses }: Inner,
  places: { git: string; tree: string },
  since: (name: string) => Promise<string | undefined>,
  options: Options,
): Promise<InnerSave | string | undefined> {
  const { git, repository } = worktree
  const commit = await commitLosses(git, losses, `Work in ${inner.path}`, { ...options, at: EPOCH })
  if (commit === undefined) return undefined
  if (inner.commonDir !== null) return inner.commonDir === repository.commonDir ? commit : undefined
  const call = { cwd: inner.cwd, env: inner.isBare ? onlyIn(inner.gitDir) : {}, ...options }
  const head = await line(git, ["symbolic-ref", "--quiet", "HEAD"], call)
  const refs = (await git(["for-each-ref", "--format=%(refname) %(objectname)"], call)).stdout.toString()
  const text = (name: string) => git.files.readText(join(inner.gitDir, name)).catch(() => undefined)
  const shallow = (await text("shallow")) ?? null
  const name = createHash("sha256").update([commit, refs, shallow].join("\n")).digest("hex")
  const below = (["git", "tree"] as const).find((each) => !relative(places[each], inner.gitDir).startsWith(".."))
  if (!below) return undefined
  return {
    folder: inner.isBare ? null : relative(places.tree, inner.cwd),
    name,
    gitDir: { below, path: relative(places[below], inner.gitDir) },
    bundle: (await since(name)) ?? (await bundle(worktree, call, commit)),
    ...(await saveCheckout(git, losses, places.tree, options)),
    ...{ commit, hasFiles: losses.isDirty, head: head ?? (await line(git, ["rev-parse", "HEAD"], call)) ?? "" },
    ...{ stash: await stashOf(git, call), shallow },
    url: (await line(git, ["config", "remote.origin.url"], call)) ?? null,
  }
}

/** Stores a bundle of all refs and one commit as a blob in the outer repository. */
async function bundle(
  { git, tree }: Worktree,
  call: { cwd: string; env: Record<string, string> } & Options,
  commit: string,
): Promise<string> {
  await git(["update-ref", SAVED, commit], call)
  try {
    const { stdout } = await git(["bundle", "create", "--quiet", "-", "--all"], { ...call, maxBytes: LIMIT_BYTES })
    const stored = await git(["hash-object", "-w", "--stdin"], { cwd: tree, input: stdout, signal: call.signal })
    return stored.stdout.toString().trim()
  } finally {
    await git(["update-ref", "-d", SAVED], call)
  }
}

/**
 * Restores a worktree's nested repositories after the worktree's own files were restored. Returns the folders that
 * couldn't be restored.
 */
export async function restoreInner(
  worktree: Worktree,
  gitDir: string,
  saves: InnerSave[],
  options: Options,
): Promise<string[]> {
  const failed: string[] = []
  for (const save of saves) {
    try {
      await restoreOne(worktree, { git: gitDir, tree: worktree.tree }, save, options)
    } catch (error) {
      if (!isAppError(error, "git_error") && !isAppError(error, "repository_error")) throw error
      failed.push(save.folder ?? save.gitDir.path)
    }
  }
  return failed
}

async function restoreOne(
  { git, tree }: Worktree,
  places: { git: string; tree: string },
  save: InnerSave,
  options: Options,
): Promise<void> {
  const { files } = git
  const gitDir = join(places[save.gitDir.below], save.gitDir.path)
  const cwd = save.folder === null ? gitDir : join(tree, save.folder)
  await makeRepository(git, { cwd, gitDir, isBare: save.folder === null }, options)
  const call = { cwd, env: save.folder === null ? onlyIn(gitDir) : {}, ...options }
  if (save.url !== null && (await line(git, ["config", "remote.origin.url"], call)) === undefined) {
    await git(["config", "remote.origin.url", save.url], call)
    await git(["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"], call)
  }
  if (save.shallow !== null) await files.replace(gitDir, "shallow", 0o644, Buffer.from(save.shallow))
  const file = join(gitDir, "switchyard.bundle")
  const { stdout } = await git(["cat-file", "blob", save.bundle], { cwd: tree, ...options })
  await files.remove(file)
  await files.create(file, 0o600, stdout)
  // Let the fetch update the branch that HEAD points to, because the bundle may contain this branch.
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--update-head-ok", "--force", "--", file]
  await git([...fetch, "+refs/*:refs/*"], call)
  await files.remove(file)
  await git(["update-ref", RESTORED, SAVED], call)
  await git(["update-ref", "-d", SAVED], call)
  await git(["update-ref", "-d", "refs/stash"], call)
  if (save.head.startsWith("refs/")) await git(["symbolic-ref", "HEAD", save.head], call)
  else if (save.head !== "") await git(["update-ref", "--no-deref", "HEAD", save.head], call)
  if (save.folder === null) return
  await restoreFiles(git, cwd, save, options)
  await restoreStash(git, cwd, save.stash, options)
  await restoreCheckout(git, { cwd, gitDir }, { ...save, keeper: tree }, options)
}

async function makeRepository(
  git: Git,
  { cwd, gitDir, isBare }: { cwd: string; gitDir: string; isBare: boolean },
  options: Options,
): Promise<void> {
  const { files } = git
  if (await files.exists(join(gitDir, "HEAD"))) return
  await files.makeFolder(isBare ? gitDir : cwd)
  await files.makeFolder(dirname(gitDir))
  const init = ["init", "--quiet", "--template="]
  if (isBare) {
    await git([...init, "--bare", "--", gitDir], { cwd: gitDir, ...options })
    await git(["config", "core.bare", "false"], { cwd: gitDir, env: onlyIn(gitDir), ...options })
    return
  }
  const place = gitDir === join(cwd, ".git") ? [] : [`--separate-git-dir=${gitDir}`]
  await git([...init, ...place], { cwd, ...options })
}

/** Restores the files that aren't in the worktree's own save, and resets the index to the commit. */
async function restoreFiles(git: Git, cwd: string, save: InnerSave, options: Options): Promise<void> {
  const call = { cwd, ...options }
  const hasHead = (await line(git, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], call)) !== undefined
  const isEmpty = (await git.files.list(cwd)).every(({ name }) => name.toString() === ".git")
  if (save.hasFiles) await git(["read-tree", "--reset", "-u", `${save.commit}:files`], call)
  else if (hasHead && (isEmpty || save.gitDir.below === "git")) await git(["reset", "--quiet", "--hard"], call)
  if (hasHead) await git(["reset", "--quiet"], call)
  else await git(["read-tree", "--empty"], call)
}
