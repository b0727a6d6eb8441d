import { join } from "node:path"
import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import * as z from "zod"
import type { Git } from "../plumbing/git.ts"
import { line } from "../plumbing/repository.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import type { Losses } from "../worktrees/losses.ts"
import { AGENT_GIT } from "../worktrees/lost-commits.ts"
import { SAVE_REF, type Worktree } from "../worktrees/worktree-record.ts"
import { CheckoutState, restoreCheckout, restoreStash, StashEntry, saveCheckout, stashOf } from "./checkout-state.ts"
import { InnerSave, restoreInner, saveInner } from "./inner-saves.ts"

interface Options {
  signal: AbortSignal
}

/** State of a worktree, excluding its files but including its nested repositories. */
export const WorktreeState = CheckoutState.extend({
  /** Commits that only the checkout's own records, such as its reflogs, refer to. */
  tips: z.array(z.string()),
  stash: z.array(StashEntry),
  inner: z.array(InnerSave),
})
export type WorktreeState = z.infer<typeof WorktreeState>

/**
 * Refs that are visible only in the restored checkout. They point to commits that only the lost checkout's reflogs
 * referred to.
 */
const SAVED_TIPS = "refs/worktree/switchyard-restored"

/** Stores a worktree's state in its repository. Also returns the nested repositories that couldn't be stored. */
export async function saveState(
  worktree: Worktree,
  losses: Losses,
  own: boolean,
  options: Options,
): Promise<{ state: WorktreeState; leftOut: SkippedFile[] }> {
  const { git, tree: cwd } = worktree
  const call = { cwd, ...options }
  // Reuse bundles from the previous save if they are identical.
  const since = (name: string) => line(git, ["rev-parse", "--verify", "--quiet", `${SAVE_REF}:inner/${name}`], call)
  const inner = await saveInner(worktree, losses, since, options)
  const stash = (await hasOwnStash(worktree, own)) ? await stashOf(git, call) : []
  const state: WorktreeState = {
    ...(await saveCheckout(git, losses, cwd, options)),
    tips: [...new Set([...losses.heads, ...inner.tips, ...stash.map(({ commit }) => commit)])],
    stash,
    inner: inner.saves,
  }
  return { state, leftOut: inner.leftOut }
}

/**
 * Restores a worktree's state after its files were restored. Returns the nested repositories that couldn't be restored.
 */
export async function restoreState(worktree: Worktree, state: WorktreeState, options: Options): Promise<string[]> {
  const { git, tree: cwd, isOwn } = worktree
  const gitDir = await gitDirOf(git.files, cwd)
  const failed = await restoreInner(worktree, gitDir, state.inner, options)
  const stashed = (await hasOwnStash(worktree, isOwn)) ? state.stash : []
  await restoreStash(git, cwd, stashed, options)
  const rest = state.tips.filter((tip) => !stashed.some(({ commit }) => commit === tip))
  const lines = rest.map((tip) => `update ${SAVED_TIPS}/${tip.slice(0, 12)} ${tip}\n`)
  await git(["update-ref", "--stdin"], { cwd, input: lines.join(""), ...options })
  await restoreCheckout(git, { cwd, gitDir }, { ...state, keeper: cwd }, options)
  return failed
}

/**
 * Returns entries in the format of `git mktree` for the unfinished operations and for the bundles of nested
 * repositories.
 */
export async function innerTrees(git: Git, cwd: string, state: WorktreeState, options: Options): Promise<string[]> {
  const operations = [state.operation, ...state.inner.map(({ operation }) => operation)]
  const trees = [...new Set(operations)].flatMap((tree) => (tree ? [`040000 tree ${tree}\t${tree}`] : []))
  const bundles = state.inner.map(({ name, bundle }) => `100644 blob ${bundle}\t${name}`)
  const folder = async (name: string, listing: string[]) => {
    if (listing.length === 0) return []
    const made = await git(["mktree"], { cwd, input: `${listing.join("\n")}\n`, ...options })
    return [`040000 tree ${made.stdout.toString().trim()}\t${name}`]
  }
  return [...(await folder("operations", trees)), ...(await folder("inner", bundles))]
}

/** True if the stash contains the agent's own work: it is in the agent's sandbox or in the session's own repository. */
async function hasOwnStash({ git, folder }: Worktree, own: boolean): Promise<boolean> {
  return own || (await git.files.exists(join(folder, AGENT_GIT)))
}
