import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { AppError } from "@switchyard/core/errors"
import type { KeptWork } from "@switchyard/core/files/worktrees/schema"
import { listFiles } from "@switchyard/core/files/worktrees/unresolved"
import type { LeftOut } from "../plumbing/add-files.ts"
import type { Git, GitCall } from "../plumbing/git.ts"
import { asInput, fieldsOf, type GitPath, toText } from "../plumbing/git-path.ts"
import type { Ref } from "../plumbing/refs.ts"
import { line } from "../plumbing/repository.ts"
import { commitTree, gitDirOf, OURS, snapshot, stageAll, writeEmptyTree } from "../plumbing/snapshot.ts"
import { describeIgnored } from "./ignored-files.ts"
import { allModules, copyCommit, onlyIn } from "./inner-repositories.ts"
import { findLosses, isNothing, isReplaced, type Losses, replacementLosses, unlessGit } from "./losses.ts"
import { readAbout, type Worktree } from "./worktree-record.ts"

interface Options {
  signal: AbortSignal
}

/** Prefix of refs that keep the work of removed worktrees, by session and then by date. */
export const KEPT = "refs/switchyard/kept"
const LIMIT_BYTES = 500 * 1024 * 1024
const DAY_MS = 86_400_000

/**
 * Stores everything that would be lost with the worktree, and creates a ref to it in the repository. Returns a
 * description of the stored work, or null if nothing would be lost. Throws `worktree_conflict` if there is more to
 * store than is allowed without asking the user.
 */
export async function keepWork(worktree: Worktree, options: Options): Promise<KeptWork | null> {
  if (!(await readAbout(worktree)) || !(await worktree.git.files.exists(worktree.tree)))
    return keepBranch(worktree, options)
  // An agent may have left a worktree that git can't read. Its files may still be readable.
  const losses = (await isReplaced(worktree)) ? undefined : await findLosses(worktree, options).catch(unlessGit)
  if (!losses) return keepDamaged(worktree, options)
  if (losses.bytes > LIMIT_BYTES) {
    const message = `The worktree was kept: ${Math.round(losses.bytes / 1e6)} MB of its work exist nowhere else, which is too much to store. If it isn't needed, delete the worktree with \`discard\`.`
    throw new AppError("worktree_conflict", message, { bytes: losses.bytes, reason: "too_large" })
  }
  const ignored = await describeIgnored(worktree.git.files, losses.cwd, losses.ignored)
  if (isNothing(losses)) return ignored.count === 0 ? null : { ...NOWHERE, ignored }
  const ref = refFor(worktree)
  const { repository, git } = worktree
  const inner = await keepInner(worktree, losses, { ref, modules: join(repository.commonDir, "modules") }, options)
  const commit = await commitLosses(git, losses, `Work of ${worktree.branch} before its worktree was removed`, options)
  if (commit) await git(["update-ref", `${ref}/work`, commit], { cwd: repository.folder, ...options })
  return { ...placeOf(worktree, ref, commit), inner, ignored }
}

/** Builds a ref name from the session, the date and the retention in days. */
function refFor({ branch, session, clock, keptForMs = KEPT_FOR_MS }: Worktree): string {
  const at = new Date(clock.now()).toISOString().replaceAll(/[-:]/g, "").replace(".", "-")
  return `${KEPT}/${session ?? branch.split("/")[1]}/${at}-${Math.ceil(keptForMs / DAY_MS)}d`
}

/** Describes where the kept work is and how to restore it. */
function placeOf({ repository, isOwn }: Worktree, ref: string, commit: string | undefined) {
  const until = new Date(expiryOf(`${ref}/`)).toISOString()
  if (commit === undefined) return { ref, commit: null, until, command: null }
  const [session = "", at] = ref.split("/").slice(-2)
  const folder = `../kept-${session.slice(0, 8)}-${at?.slice(0, 15)}`
  const here = isOwn ? "" : ` -C ${quoted(repository.folder)}`
  return { ref, commit, until, command: `git${here} worktree add --detach ${folder} ${ref}/work` }
}

const quoted = (text: string) => (/^[\w./@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/**
 * Keeps the work in a checkout's nested repositories. Submodules are kept in the repository's modules, and other
 * repositories in the repository itself.
 */
async function keepInner(
  worktree: Worktree,
  losses: Pick<Losses, "inner">,
  { ref, modules }: { ref: string; modules: string },
  options: Options,
): Promise<KeptWork["inner"]> {
  const { git, repository } = worktree
  const kept: KeptWork["inner"] = []
  for (const { repository: inner, ...lost } of losses.inner) {
    const isModule = inner.module !== null
    const to = inner.commonDir ?? (inner.module === null ? repository.folder : join(modules, inner.module))
    const name = `${ref}/${randomUUID().slice(0, 8)}`
    const commit = await commitLosses(git, lost, `Work in ${inner.path} before its worktree was removed`, options)
    if (commit && inner.commonDir !== null) {
      // A linked worktree's repository outlives the worktree. Run git in that repository's folder, because the sandbox
      // can't create refs in the user's repository.
      const cwd = inner.commonDir === repository.commonDir ? repository.folder : inner.cwd
      await git(["update-ref", name, commit], { cwd, ...options })
    } else if (commit) await copyCommit(git, { from: inner.gitDir, to, commit, ref: name, isModule }, options)
    const keeper = isModule || inner.commonDir !== null ? to : repository.commonDir
    if (commit) kept.push({ path: inner.path, ref: name, commit, repository: keeper })
    const deeper = isModule ? join(to, "modules") : join(modules, inner.path)
    const below = await keepInner(worktree, lost, { ref, modules: deeper }, options)
    kept.push(...below.map((each) => ({ ...each, path: `${inner.path}/${each.path}` })))
  }
  return kept
}

/**
 * Commits a checkout's files and index on top of the checkout's commits. If nothing has changed and there is at most
 * one head, returns that head, or undefined if there is none.
 */
export async function commitLosses(
  git: Git,
  { cwd, gitDir, heads, isDirty, index, hollow }: Losses,
  subject: string,
  { at, ...options }: Options & { at?: string },
): Promise<string | undefined> {
  const [only] = heads
  if (!isDirty && heads.length <= 1) return only
  const head = await line(git, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd, ...options })
  const listing: string[] = []
  if (isDirty) {
    const { tree, leftOut } = await snapshot(git, cwd, { ...options, asFolders: hollow })
    requireKept(cwd, leftOut)
    listing.push(`040000 tree ${tree}\tfiles`)
    if (index) listing.push(`040000 tree ${await indexTree(git, { cwd, gitDir }, index, options)}\tindex`)
  }
  const tree =
    listing.length > 0
      ? (await git(["mktree"], { cwd, input: `${listing.join("\n")}\n`, ...options })).stdout.toString().trim()
      : await writeEmptyTree(git, cwd, options)
  const parents = [...new Set([head, ...heads])].filter((each) => each !== undefined)
  return commitTree(git, cwd, { tree, parents, message: `${subject}\n\n${HOW}`, author: OURS, at }, options)
}

/** Throws if git can't store a file. Ignores worktrees inside this one, because they are stored separately. */
function requireKept(folder: string, leftOut: LeftOut[]): void {
  const files = leftOut.filter(({ isWorktree }) => !isWorktree).map(({ path }) => toText(path))
  if (files.length === 0) return
  const message = `The worktree was kept: git can't store ${listFiles(files)}. Move these files elsewhere, or delete the worktree with \`discard\`.`
  throw new AppError("worktree_conflict", message, { folder, files, reason: "left_out" })
}

const HOW = `"files" has the files as they were, "index" what was staged: "0" the entries, "1" to "3" the versions of a conflict.
The parents are the commits that no branch has. Show one with \`git show\`, and take it with \`git branch NAME COMMIT\`.
`

/** Stores the worktree's index before a commit. */
export async function keepStaged(worktree: Worktree, head: string, options: Options): Promise<void> {
  const { git, tree: cwd, repository } = worktree
  const call = { cwd, ...options }
  const entries = fieldsOf((await git(["ls-files", "--stage", "-z"], call)).stdout)
  const gitDir = await gitDirOf(git.files, cwd)
  const listing = `040000 tree ${await indexTree(git, { cwd, gitDir }, entries, options)}\tindex\n`
  const tree = (await git(["mktree"], { ...call, input: listing })).stdout.toString().trim()
  const message = `Staged versions of ${worktree.branch} before its files were committed\n\n${HOW}`
  const commit = await commitTree(git, cwd, { tree, parents: [head], message, author: OURS }, options)
  await git(["update-ref", `${refFor(worktree)}/staged`, commit], { cwd: repository.folder, ...options })
}

/** Writes an index as a tree that contains one folder per stage: "0" for normal entries, "1" to "3" for conflicts. */
export async function indexTree(
  git: Git,
  { cwd, gitDir }: Pick<Losses, "cwd" | "gitDir">,
  entries: GitPath[],
  options: Options,
): Promise<string> {
  const index = `${gitDir}/switchyard-index-${randomUUID()}`
  const call = { cwd, env: { GIT_INDEX_FILE: index }, ...options }
  const lines = entries.map((entry) => {
    const [mode, blob, stage] = entry.slice(0, entry.indexOf("\t")).split(" ")
    return `${mode} ${blob}\t${stage}/${entry.slice(entry.indexOf("\t") + 1)}`
  })
  try {
    // Intent-to-add entries refer to the empty blob, which may not exist in the repository yet.
    await git(["hash-object", "-w", "--stdin"], { ...call, input: "" })
    await git(["update-index", "-z", "--index-info"], { ...call, input: asInput(lines) })
    return (await git(["write-tree", "--missing-ok"], call)).stdout.toString().trim()
  } finally {
    await git.files.remove(index)
    await git.files.remove(`${index}.lock`)
  }
}

/** Stores the work of a branch whose worktree is gone. */
async function keepBranch(worktree: Worktree, { signal }: Options): Promise<KeptWork | null> {
  const { git, repository, branch } = worktree
  if (worktree.isTheirs?.branch) return null
  const asked = [
    "rev-list",
    "--max-count=1",
    "--ignore-missing",
    "--single-worktree",
    "--stdin",
    "--not",
    `--exclude=refs/heads/${branch}`,
    "--all",
  ]
  const call = { cwd: repository.folder, signal }
  const commit = (await git(asked, { ...call, input: `refs/heads/${branch}\n` })).stdout.toString().trim()
  if (commit === "") return null
  const ref = refFor(worktree)
  await git(["update-ref", `${ref}/work`, commit], call)
  return { ...placeOf(worktree, ref, commit), inner: [], ignored: NONE_IGNORED }
}

const NOWHERE = { ref: null, commit: null, until: null, command: null, inner: [] }
const NONE_IGNORED = { count: 0, named: [] }

/**
 * Stores the files of a worktree whose git folder is damaged or was replaced. Also stores the work in the repository
 * that replaced it.
 */
async function keepDamaged(worktree: Worktree, options: Options): Promise<KeptWork | null> {
  const ref = refFor(worktree)
  const replaced = { inner: await replacementLosses(worktree, options) }
  const modules = join(worktree.repository.commonDir, "modules")
  const inner = await keepInner(worktree, replaced, { ref, modules }, options)
  const kept = await keepFiles(worktree, ref, options)
  if (kept === null && inner.length === 0) return null
  return { ...(kept ?? { ...placeOf(worktree, ref, undefined), ignored: NONE_IGNORED }), inner }
}

async function keepFiles(worktree: Worktree, ref: string, options: Options): Promise<KeptWork | null> {
  const { git, repository, branch, tree: cwd } = worktree
  const index = join(repository.commonDir, `switchyard-index-${randomUUID()}`)
  const env = { GIT_DIR: repository.commonDir, GIT_WORK_TREE: cwd, GIT_INDEX_FILE: index }
  try {
    const { tree: files, leftOut } = await stageAll(git, { cwd, env }, options)
    requireKept(cwd, leftOut)
    const call = { cwd: repository.folder, ...options }
    const head = await line(git, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`], call)
    if (head && (await line(git, ["rev-parse", `${head}^{tree}`], call)) === files) return keepBranch(worktree, options)
    const subject = `Files of ${branch} before its damaged worktree was removed\n`
    const parents = head ? [head] : []
    const commit = await commitTree(git, call.cwd, { tree: files, parents, message: subject, author: OURS }, options)
    await git(["update-ref", `${ref}/work`, commit], call)
    return { ...placeOf(worktree, ref, commit), inner: [], ignored: NONE_IGNORED }
  } finally {
    await git.files.remove(index)
    await git.files.remove(`${index}.lock`)
  }
}

/**
 * Removes kept work whose retention has expired from the repository and its submodules. `refs` contains the
 * repository's refs to kept work.
 */
export async function sweepKept(
  { git, repository, clock }: Worktree,
  refs: Pick<Ref, "name">[],
  { signal }: Options,
): Promise<void> {
  const sweep = async (names: string[], call: GitCall) => {
    const old = names.filter((name) => name.startsWith(`${KEPT}/`) && clock.now() > expiryOf(name))
    if (old.length === 0) return
    await git(["update-ref", "--stdin"], { ...call, input: old.map((ref) => `delete ${ref}\n`).join("") })
  }
  await sweep(
    refs.map(({ name }) => name),
    { cwd: repository.folder, signal },
  )
  for (const cwd of await allModules(git.files, join(repository.commonDir, "modules"))) {
    const call = { cwd, env: onlyIn(cwd), signal }
    const { stdout } = await git(["for-each-ref", "--format=%(refname)", `${KEPT}/`], call)
    await sweep(stdout.toString().split("\n"), call)
  }
}

const KEPT_FOR_MS = 30 * DAY_MS

/**
 * Returns the time at which the kept work under a ref expires. Work under a ref whose name contains no date never
 * expires.
 */
function expiryOf(ref: string): number {
  const [, day, time, days] = /\/(\d{8})T(\d{6})-\d+Z(?:-(\d+)d)?\//.exec(ref) ?? []
  if (day === undefined || time === undefined) return Number.POSITIVE_INFINITY
  const parts = [day.slice(0, 4), day.slice(4, 6), day.slice(6, 8)].join("-")
  const keptAt = Date.parse(`${parts}T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`)
  return keptAt + (days === undefined ? KEPT_FOR_MS : Number(days) * DAY_MS)
}
