import { join } from "node:path"
import type { FileStat } from "../../files/files.ts"
import { gitDirOf } from "../plumbing/snapshot.ts"
import { AGENT_GIT } from "./lost-commits.ts"
import type { Worktree } from "./worktree-record.ts"

/** Record that git could read a worktree's commit and index. It holds until one of git's files changes. */
export interface Readable {
  isKnown: boolean
  note(): void
  /** True if none of git's files has changed since. */
  isCurrent(): Promise<boolean>
}

/** Looks at git's files before git reads them, so that a later change always counts as one. */
export async function readableNow(worktree: Worktree): Promise<Readable> {
  const { known, tree } = worktree
  const stamp = await stampOf(worktree).catch(() => undefined)
  return {
    isKnown: stamp !== undefined && known.readable.get(tree) === stamp,
    note: () => void (stamp !== undefined && known.readable.set(tree, stamp)),
    isCurrent: async () => stamp !== undefined && stamp === (await stampOf(worktree).catch(() => undefined)),
  }
}

/**
 * Returns a stamp of the files from which git reads the checked-out commit and the index. Returns undefined unless the
 * work's own branch is checked out and its ref is a file.
 */
async function stampOf({ git: { files }, tree, folder, branch, repository }: Worktree): Promise<string | undefined> {
  const { commonDir } = repository
  const gitDir = await gitDirOf(files, tree)
  const ref = join(commonDir, "refs/heads", branch)
  const [head, commit] = await Promise.all([join(gitDir, "HEAD"), ref].map((file) => files.readText(file)))
  if (head?.trimEnd() !== `ref: refs/heads/${branch}` || !commit || !/^[0-9a-f]{40,64}\n$/.test(commit))
    return undefined
  const object = join(commonDir, "objects", commit.slice(0, 2), commit.slice(2).trimEnd())
  const view = ["config", "HEAD"].map((name) => join(folder, AGENT_GIT, name))
  const own = ["commondir", "gitdir", "config.worktree"].map((name) => join(gitDir, name))
  const shared = ["config", "HEAD", "objects", "objects/pack"].map((name) => join(commonDir, name))
  const places = [join(tree, ".git"), join(gitDir, "index"), ...own, ...shared, ...view, object]
  const found = await Promise.all(places.map((place) => files.lstat(place)))
  // A program that git starts may update the times of a folder's entries, so a folder counts by its identity.
  return [gitDir, commit, ...found.map(identity)].join("\n")
}

function identity(found: FileStat | undefined): string {
  if (!found) return ""
  const { kind, dev, ino, size, mode, mtimeNs, ctimeNs } = found
  return [kind, dev, ino, mode, ...(kind === "folder" ? [] : [size, mtimeNs, ctimeNs])].join(" ")
}
