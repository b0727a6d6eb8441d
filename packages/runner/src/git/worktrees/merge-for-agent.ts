import { rm } from "node:fs/promises"
import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../../files/atomic-json.ts"
import { fieldsOf, type GitPath, inFolder, toText } from "../plumbing/git-path.ts"
import { headOf } from "../plumbing/repository.ts"
import { gitDirOf, identity } from "../plumbing/snapshot.ts"
import { keepWork } from "./keep-work.ts"
import { readWork, type Worktree, writeWork } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** A merge in the worktree itself, whose conflicts an agent resolves. */
const AgentMerge = z.object({
  /** Commit of the work before the merge. */
  head: z.string(),
  branch: z.string(),
  /** Commit that is merged into the work. */
  target: z.string(),
  /** Files in conflict, and whether they contain conflict markers. Binary and deleted files contain none. */
  paths: z.array(z.object({ path: z.string(), isMarked: z.boolean() })),
  /**
   * True once git has made the merge. Before that, the agent can't have worked on the conflicts, so an interrupted
   * merge can be undone.
   */
  isMade: z.boolean().default(true),
})
type AgentMerge = z.infer<typeof AgentMerge>

const noteFile = ({ notes }: Worktree) => `${notes}.agent-merge.json`

/** Returns the conflicting files of an agent's merge that is already in progress, or undefined if there is none. */
export async function resumeAgentMerge(worktree: Worktree, options: Options): Promise<string[] | undefined> {
  const begun = await readNote(worktree)
  if (!begun) return undefined
  if (!begun.isMade) return undefined
  if (begun.paths.length > 0) return begun.paths.map(({ path }) => toText(path))
  if (await isMerging(worktree)) return noteConflicts(worktree, begun, options)
  await forgetAgentMerge(worktree)
  return undefined
}

/** Merges a branch into the committed work, but doesn't commit the merge. Returns the files that contain conflicts. */
export async function beginAgentMerge(
  worktree: Worktree,
  { branch, head }: { branch: string; head: string },
  { signal }: Options,
): Promise<string[]> {
  const { git, repository, tree } = worktree
  const target = await headOf(git, repository, branch, { signal })
  // Record the merge before changing anything, so that the work can be restored.
  const begun: AgentMerge = { head, branch, target, paths: [], isMade: false }
  await writeAtomically(noteFile(worktree), begun)
  const merge = ["merge", "--no-ff", "--no-commit", "--quiet", target]
  const { code, stderr } = await git(merge, { cwd: tree, env: identity(), signal, accept: [1] })
  const conflicts = await noteConflicts(worktree, begun, { signal })
  if (code !== 0 && conflicts.length === 0) {
    await undoAgentMerge(worktree, { signal })
    throw new AppError("git_error", `${branch} couldn't be merged into the work.`, { said: stderr.slice(-500) })
  }
  return conflicts
}

async function noteConflicts(worktree: Worktree, begun: AgentMerge, options: Options): Promise<string[]> {
  const unmerged = [...(await unmergedPaths(worktree, options))]
  const paths = await Promise.all(unmerged.map(async (path) => ({ path, isMarked: await hasMarkers(worktree, path) })))
  await writeAtomically(noteFile(worktree), { ...begun, paths, isMade: true })
  return unmerged.map(toText)
}

/** Returns the files still in conflict in an agent's merge. Returns an empty list if there is no such merge. */
export async function leftInAgentMerge(worktree: Worktree, options: Options): Promise<string[]> {
  const begun = await readNote(worktree)
  if (!begun || begun.paths.length === 0) return []
  const unmerged = await unmergedPaths(worktree, options)
  const left = await Promise.all(
    begun.paths.map(async ({ path, isMarked }) => {
      const isLeft = isMarked ? await hasMarkers(worktree, path) : unmerged.has(path)
      return isLeft ? [toText(path)] : []
    }),
  )
  return left.flat()
}

/**
 * Completes or undoes an agent's merge before the agent's work is committed. If conflicts remain, or the merge itself
 * was interrupted, undoes the merge and all changes that it brought in. Otherwise, returns the merged commit.
 */
export async function settleAgentMerge(worktree: Worktree, options: Options): Promise<string | undefined> {
  const begun = await readNote(worktree)
  if (!begun) return undefined
  const left = await leftInAgentMerge(worktree, options)
  if (left.length === 0 && begun.isMade) return begun.target
  await undoAgentMerge(worktree, options)
  return undefined
}

/**
 * Ends an agent's merge after the work was committed. The merged commit becomes the work's base, so that its changes
 * aren't attributed to the agent. If the agent abandoned the merge, the base doesn't change.
 */
export async function endAgentMerge(
  worktree: Worktree,
  target: string,
  commit: string,
  { signal }: Options,
): Promise<void> {
  const { git, tree: cwd } = worktree
  const { code } = await git(["merge-base", "--is-ancestor", target, commit], { cwd, signal, accept: [1] })
  if (code === 0) await writeWork(worktree, { ...(await readWork(worktree)), base_commit: target })
  await forgetAgentMerge(worktree)
}

export async function forgetAgentMerge(worktree: Worktree): Promise<void> {
  await rm(noteFile(worktree), { force: true })
}

async function undoAgentMerge(worktree: Worktree, { signal }: Options): Promise<void> {
  const begun = await readNote(worktree)
  if (!begun) return
  const { git, tree } = worktree
  // Store the resolutions made so far, because they exist only in the files.
  await keepWork(worktree, { signal })
  await git(["reset", "--quiet", "--hard", begun.head, "--"], { cwd: tree, signal })
  // Remove untracked files, because the index may not list every file that the merge added.
  if (!begun.isMade) await git(["clean", "-ffdq"], { cwd: tree, signal })
  await forgetAgentMerge(worktree)
}

async function isMerging({ git: { files }, tree }: Worktree): Promise<boolean> {
  return files.exists(join(await gitDirOf(files, tree), "MERGE_HEAD"))
}

async function readNote(worktree: Worktree): Promise<AgentMerge | undefined> {
  const text = await readIfExists(noteFile(worktree))
  return text === undefined ? undefined : AgentMerge.parse(JSON.parse(text))
}

async function unmergedPaths({ git, tree }: Worktree, { signal }: Options): Promise<Set<GitPath>> {
  const { stdout } = await git(["diff", "--name-only", "--diff-filter=U", "-z"], { cwd: tree, signal })
  return new Set(fieldsOf(stdout))
}

async function hasMarkers({ git, tree }: Worktree, path: GitPath): Promise<boolean> {
  const bytes = await git.files.readRegular(inFolder(tree, path))
  if (!bytes) return false
  const text = bytes.toString("latin1")
  return /^<{7}( |$)/m.test(text) && /^>{7}( |$)/m.test(text)
}
