import { AppError } from "@switchyard/core/errors"
import type { Files } from "../../files/files.ts"
import { type Git, NEVER } from "../plumbing/git.ts"
import { asInput, toText } from "../plumbing/git-path.ts"
import { checkoutsOf, findHead, moveBranch, type SharedRepository } from "../plumbing/repository.ts"
import { copyIndex, gitDirOf } from "../plumbing/snapshot.ts"
import { indexInfo, isGitlink, type TreeChange, type TreeEntry, treeChanges } from "../plumbing/tree-changes.ts"
import {
  abandonedJournals,
  closeJournal,
  type Journal,
  notePrepared,
  openJournal,
  readPrepared,
} from "./checkout-journal.ts"
import { findDirtyPaths } from "./dirty-paths.ts"
import { prepareSwap, type SwapPlaces, swapFiles, unswapFiles } from "./swap-files.ts"

interface Options {
  signal: AbortSignal
}

export interface Move {
  branch: string
  from: string
  to: string
  /** Reason for the move, shown in the branch's reflog. */
  why: string
}

/**
 * Moves a checked-out branch together with its checkout. Uncommitted work is preserved byte for byte: if the move would
 * change a file with uncommitted work, nothing changes, and the error `merge_blocked` lists the file. Returns false if
 * the branch is no longer at `from`.
 *
 * `git merge --ff-only` and `git read-tree -m -u` do the same in one call but can't undo a partial update. If git is
 * killed midway, a file can't be replaced or the disk is full, they leave some new files, a missing file, and an index
 * that shows all of them as modified. The next merge is then refused. `update-checkout.test.ts` and `faults.test.ts`
 * cover each case. `read-tree` also overwrites ignored files, and neither command lists all files in the way.
 *
 * Therefore, git writes the new files to a separate folder. This function renames them into place one by one, then
 * replaces the index, and moves the branch last. It holds git's own index lock throughout. Before the first change, a
 * journal records how to undo the update. If this process dies, the next process undoes the update, unless the branch
 * has already moved: in that case, the update was complete.
 */
export async function updateCheckout(
  git: Git,
  repository: SharedRepository,
  checkout: string,
  move: Move,
  { signal }: Options,
): Promise<boolean> {
  const { files } = git
  await refuseBusy(files, checkout)
  const { branch, from, to } = move
  const journal = await openJournal(files, repository.journals, { checkout, branch, from, to })
  await lockIndex(files, journal)
  const change = async () => {
    await prepare(git, journal, { signal })
    await swap(git, journal)
    return moveBranch(git, checkout, move, { signal })
  }
  const [attempt] = await Promise.allSettled([change()])
  // Git may have moved the branch before the signal stopped the update.
  const moved =
    attempt.status === "fulfilled" ? attempt.value : (await findHead(git, repository, branch, { signal: NEVER })) === to
  // If undoing fails, the lock and the journal remain until another process can undo the update.
  if (!moved) await takeBack(files, journal)
  await unlockIndex(files, journal)
  await closeJournal(files, journal)
  if (attempt.status === "rejected" && !moved) throw asBlocked(attempt.reason, checkout)
  return moved
}

/** Reports a file that is in use or can't be replaced in the same way as a file with uncommitted changes. */
function asBlocked(reason: unknown, checkout: string): unknown {
  const { code = "", path } = reason as NodeJS.ErrnoException
  if (!["EPERM", "EACCES", "EROFS", "EBUSY", "ENOTEMPTY"].includes(code)) return reason
  const details = { checkout, files: [], reason: code, place: path }
  return new AppError("merge_blocked", "A file in the checkout can't be replaced.", details, { cause: reason })
}

/** Undoes the unfinished updates of processes that died. */
export async function recoverCheckouts(git: Git, repository: SharedRepository, { signal }: Options): Promise<void> {
  const { files } = git
  const checkouts = async () => (await checkoutsOf(git, repository, { signal })).map(({ path }) => path)
  for (const journal of await abandonedJournals(files, repository.journals, checkouts)) {
    if (!(await isDone(git, repository, journal, { signal }))) await takeBack(files, journal)
    await unlockIndex(files, journal)
    await closeJournal(files, journal)
  }
}

/** True if the update was completed. The branch moves last, but other commands may have moved it again since then. */
async function isDone(
  git: Git,
  repository: SharedRepository,
  { branch, from, to }: Journal,
  options: Options,
): Promise<boolean> {
  const head = await findHead(git, repository, branch, options)
  if (head === undefined) return false
  const call = { cwd: repository.folder, accept: [1, 128], ...options }
  const contains = async (of: string, commit: string) =>
    (await git(["merge-base", "--is-ancestor", commit, of], call)).code === 0
  // If the update moved the branch back to an ancestor, the branch contained the `to` commit even before the update.
  if (await contains(from, to)) return !(await contains(head, from))
  return contains(head, to)
}

/** Throws if the user is in the middle of a merge or rebase, because moving the branch would break it. */
async function refuseBusy(files: Files, checkout: string): Promise<void> {
  const gitDir = await gitDirOf(files, checkout)
  const states = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply"]
  for (const state of states) {
    if (!(await files.exists(`${gitDir}/${state}`))) continue
    throw new AppError("merge_blocked", "A merge or rebase is in progress in the checkout.", {
      checkout,
      files: [],
      state,
    })
  }
}

/**
 * Acquires git's index lock by creating it as a link to a file that contains this journal's token. The token identifies
 * the lock's owner.
 */
async function lockIndex(files: Files, journal: Journal): Promise<void> {
  const { gitDir, scratch, token, checkout } = journal
  const lock = `${gitDir}/index.lock`
  await files.create(`${scratch}/token`, 0o644, Buffer.from(token))
  try {
    await files.link(`${scratch}/token`, lock)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    await closeJournal(files, journal)
    const details = { checkout, lock }
    throw new AppError("worktree_busy", "Another git process is using the checkout.", details, { cause: error })
  }
}

async function unlockIndex(files: Files, { gitDir, token }: Journal): Promise<void> {
  const lock = `${gitDir}/index.lock`
  if ((await files.readText(lock)) === token) await files.remove(lock)
}

const placesOf = (files: Files, { checkout, stage }: Journal): SwapPlaces => ({
  files,
  checkout,
  fresh: `${stage}/fresh`,
  kept: `${stage}/kept`,
})

const indexesOf = ({ gitDir, scratch }: Journal) => ({
  index: `${gitDir}/index`,
  fresh: `${scratch}/index`,
  kept: `${scratch}/index-kept`,
  put: `${scratch}/index-put`,
})

/**
 * Prepares all files and checks that the update is possible. If the disk is full, this step fails before anything has
 * changed.
 */
async function prepare(git: Git, journal: Journal, { signal }: Options): Promise<void> {
  const { files } = git
  const { checkout, gitDir, from, to, scratch } = journal
  const { index, fresh, kept } = indexesOf(journal)
  const changes = await treeChanges(git, checkout, from, to, { signal })
  const probe = `${scratch}/probe/index`
  await files.makeFolder(`${scratch}/probe`)
  await copyIndex(files, index, probe)
  if (!(await files.exists(probe))) {
    throw new AppError("merge_blocked", "Nothing is checked out there.", { checkout, files: [] })
  }
  const blocked = await findDirtyPaths(git, checkout, { index: probe, head: from, changes }, { signal })
  if (blocked.length > 0) {
    throw new AppError("merge_blocked", "The merge would overwrite uncommitted changes.", {
      checkout,
      files: blocked.slice(0, 200).map(toText),
      count: blocked.length,
    })
  }

  await copyIndex(files, index, fresh)
  const call = { cwd: checkout, env: { GIT_INDEX_FILE: fresh }, signal }
  await git(["update-index", "-z", "--index-info"], { ...call, input: asInput(indexInfo(changes)) })
  const coming = changes.filter(({ to }) => to && !isGitlink(to)).map(({ path }) => path)
  const places = placesOf(files, journal)
  const empty = `${scratch}/empty`
  for (const folder of [places.fresh, empty]) await files.makeFolder(folder)
  // Let git apply filters and line endings. The folder is empty, so only the new attributes apply, and filters can't
  // run programs from the new files.
  await git(["checkout-index", "--force", "--quiet", `--prefix=${places.fresh}/`, "-z", "--stdin"], {
    ...{ cwd: empty, env: { ...call.env, GIT_DIR: gitDir, GIT_WORK_TREE: empty } },
    ...{ writes: [empty, places.fresh], input: asInput(coming), signal },
  })
  await files.link(index, kept)
  const entries = await prepareSwap(places, changes.map(swapEntry))
  await notePrepared(journal, entries)
}

function swapEntry({ path, from, to }: TreeChange) {
  return { path, before: kindOf(from), after: kindOf(to) }
}

function kindOf(entry: TreeEntry | null): "file" | "folder" | "nothing" {
  if (!entry) return "nothing"
  return isGitlink(entry) ? "folder" : "file"
}

async function swap(git: Git, journal: Journal): Promise<void> {
  const entries = await readPrepared(journal)
  if (!entries) return
  await swapFiles(placesOf(git.files, journal), entries)
  const { index, fresh, put } = indexesOf(journal)
  await refresh(git, journal, fresh)
  await git.files.link(fresh, put)
  await git.files.rename(fresh, index)
}

/**
 * Records the new files' timestamps in an index. Discards the result if a filter set up by an agent changed anything
 * else in the index.
 */
async function refresh(git: Git, { checkout, scratch }: Journal, index: string): Promise<void> {
  const { files } = git
  const folder = `${scratch}/refresh`
  const refreshed = `${folder}/index`
  await files.makeFolder(folder)
  await copyIndex(files, index, refreshed)
  const place = { cwd: checkout, reads: [checkout], writes: [folder], signal: NEVER }
  await git(["update-index", "-q", "--refresh"], { ...place, env: { GIT_INDEX_FILE: refreshed }, accept: [1] })
  if ((await files.lstat(refreshed))?.kind !== "file") return
  const [before, after] = await Promise.all([index, refreshed].map((each) => entriesIn(git, checkout, each)))
  if (before !== undefined && before === after) await files.rename(refreshed, index)
}

/** Returns everything in an index except the timestamps. Returns undefined if git can't read the index. */
async function entriesIn(git: Git, cwd: string, index: string): Promise<string | undefined> {
  const call = { cwd, env: { GIT_INDEX_FILE: index }, accept: [128], signal: NEVER }
  const { code, stdout } = await git(["ls-files", "--stage", "-v", "-z"], call)
  return code === 0 ? stdout.toString("latin1") : undefined
}

async function takeBack(files: Files, journal: Journal): Promise<void> {
  const entries = await readPrepared(journal)
  if (!entries) return
  await unswapFiles(placesOf(files, journal), entries)
  const { index, kept, put } = indexesOf(journal)
  const [now, ours] = await Promise.all([files.stat(index), files.stat(put)])
  if (now !== undefined && now.ino === ours?.ino) await files.rename(kept, index)
}
