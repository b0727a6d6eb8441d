import type { SkippedFile } from "@switchyard/core/files/worktrees/checkpoint-schema"
import type { Git, GitAnswer, GitCall } from "./git.ts"
import { gitFailure } from "./git-errors.ts"
import { asInput, fieldsOf, fromText, type GitPath, toText } from "./git-path.ts"
import { dropEntries, listIndex, listNew, openFolders } from "./list-new.ts"
import { clearFlags } from "./overlooked.ts"

/** File or folder that couldn't be staged. The tree contains its last staged version. */
export interface LeftOut {
  path: GitPath
  /** Reason given by git. */
  reason: string
  /** True if the path is a worktree of another repository. That repository contains the worktree's branch. */
  isWorktree?: boolean
}

/** Returns the files that weren't staged because git refuses them. */
export function refusedAmong(leftOut: LeftOut[]): SkippedFile[] {
  const refused = leftOut.filter(({ isWorktree }) => !isWorktree)
  return refused.map(({ path, reason }) => ({ path: toText(path), reason: "refused", detail: reason }))
}

/** Returns the paths to omit, given the paths that changed since they were last staged. */
export type LeaveOut = (changed: GitPath[]) => Promise<GitPath[]>

export interface AddOptions {
  signal: AbortSignal
  /** Gitlinks whose folders are stored as ordinary folders. */
  asFolders?: GitPath[]
  /** Gitlinks that are omitted together with their folders. */
  dropped?: GitPath[]
  leaveOut?: LeaveOut | undefined
  /** True if the index is kept, so that git should also store the files' new timestamps in it. */
  isKept?: boolean
}

interface Added {
  /** Files that git refuses. */
  leftOut: LeftOut[]
  /** True if the index already matched the files, and contains no submodules. */
  isUnchanged: boolean
  /** All paths of the checkout. Undefined if it has submodules, nested repositories or files that git overlooks. */
  listed?: GitPath[] | undefined
}

/**
 * Maximum number of git calls for finding the files that make git stop. Above this limit, whole groups of files are
 * left out.
 */
const MAX_PARTS = 2000

/** Stages everything in the index named by `env`. Throws if git can't stage anything. */
export async function addAll(
  git: Git,
  { cwd, env }: { cwd: string; env: Record<string, string> },
  { signal, asFolders = [], dropped = [], leaveOut, isKept = false }: AddOptions,
): Promise<Added> {
  const call = { cwd, env, signal }
  const modified = !isKept || leaveOut !== undefined
  const found = await listIndex(git, call, { modified })
  // Clear the flags first: all files are part of the work, even if an agent made git overlook their changes.
  await clearFlags(git, found.overlooked, call)
  if (dropped.length > 0) await dropEntries(git, dropped, call)
  if (asFolders.length > 0) await openFolders(git, asFolders, call)
  const isFinal = found.overlooked.length + dropped.length + asFolders.length === 0
  if (isFinal && !isKept && found.isOrdinary && found.paths.length === 0) return { leftOut: [], isUnchanged: true }
  const hasNested = found.paths.some((path) => path.endsWith("/"))
  const listed = isFinal && !hasNested ? found.paths : await listNew(git, call, { modified })
  const closed = listed.filter((path) => path.endsWith("/"))
  const omitted = [...closed.map((path) => path.slice(0, -1)), ...((await leaveOut?.(listed)) ?? [])]
  const everything = [":/", ...omitted.map(excluded)]
  let added = await add(git, everything, listed.length, call)
  // Git stops if a file vanishes while `git add` runs, so try once more.
  if (added.code === FATAL) added = await add(git, everything, listed.length, call)
  const refused = added.code === 0 ? [] : await refusedBy(git, added, omitted, call)
  const unreadable = unreadableFolders(added.stderr)
  const isInside = (path: GitPath) => unreadable.some((folder) => path.startsWith(folder.path))
  const worktrees = closed.map((path) => ({ path, reason: "It is another worktree.", isWorktree: true }))
  const leftOut = [...worktrees, ...refused.filter(({ path }) => !isInside(path)), ...unreadable]
  const isPlain = isFinal && !hasNested && found.isOrdinary && leftOut.length === 0
  return { leftOut, isUnchanged: false, listed: isPlain ? found.all : undefined }
}

/** Git's exit code after a fatal error. Git stages nothing in that case. */
const FATAL = 128

function add(git: Git, pathspecs: GitPath[], count: number, call: GitCall): Promise<GitAnswer> {
  // Include files outside a sparse checkout, because they are part of the work too.
  const flags = ["--all", "--sparse", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"]
  return git(["add", ...flags], {
    ...call,
    env: { ...call.env, GIT_LITERAL_PATHSPECS: "0", ...(count > MANY && IN_ONE_PACK) },
    input: asInput(pathspecs),
    accept: [1, FATAL],
  })
}

/**
 * After a failed `git add`, stages the files that git accepts, and returns the others. Throws if no file caused the
 * failure, for example because another process holds a lock or git can't store any object.
 */
async function refusedBy(git: Git, failed: GitAnswer, omitted: GitPath[], call: GitCall): Promise<LeftOut[]> {
  const failure = gitFailure("add", { ...failed, killedBy: null, tooMuch: false, tooLate: false })
  if (failure.code === "worktree_busy" || /insufficient permission/.test(failed.stderr)) throw failure
  const isOmitted = new Set(omitted)
  const listChanged = async () => {
    const paths = await listNew(git, call, { modified: true })
    return paths.filter((path) => !path.endsWith("/") && !isOmitted.has(path))
  }
  const gitlinks = await listGitlinks(git, call)
  let { stderr } = failed
  let stopping: LeftOut[] = []
  if (failed.code === FATAL) {
    const parts = await addInParts(git, [...(await listChanged()), ...gitlinks], call)
    if (parts.added === 0 && (parts.refused.length === 0 || failure.code === "storage_unavailable")) throw failure
    stopping = parts.refused
    stderr = parts.stderr
  }
  const isStopping = new Set(stopping.map(({ path }) => path))
  // Find submodules without a commit in the error messages, because git doesn't list them as changed.
  const unborn = gitlinks.filter((path) => stderr.includes(`'${toText(path)}' does not have a commit`))
  const others = [...new Set([...(await listChanged()), ...unborn])].filter((path) => !isStopping.has(path))
  return [...stopping, ...others.map((path) => ({ path, reason: reasonFor(path, stderr) }))]
}

/**
 * Adds files in ever smaller groups. Returns the existing files that git fails to add, and the number of files added.
 */
async function addInParts(
  git: Git,
  paths: GitPath[],
  call: GitCall,
): Promise<{ refused: LeftOut[]; added: number; stderr: string }> {
  const result = { refused: [] as LeftOut[], added: 0, stderr: "" }
  const parts = [paths]
  for (const [tries, part] of parts.entries()) {
    if (part.length === 0) continue
    const { code, stderr } = await add(git, part.map(included), part.length, call)
    if (code !== FATAL) {
      result.added += part.length
      result.stderr += stderr
    } else if (part.length > 1 && tries < MAX_PARTS) {
      const half = Math.ceil(part.length / 2)
      parts.push(part.slice(0, half), part.slice(half))
    } else if (!/^fatal: pathspec .* did not match/m.test(stderr)) {
      result.refused.push(...part.map((path) => ({ path, reason: reasonFor("", stderr) })))
    }
  }
  return result
}

/** Lists the submodules in the index. */
export async function listGitlinks(git: Git, call: GitCall): Promise<GitPath[]> {
  const entries = fieldsOf((await git(["ls-files", "--stage", "-z"], call)).stdout)
  return entries.flatMap((entry) => (entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []))
}

/** Returns git's error about a path. If there is none, returns git's first error. */
function reasonFor(path: GitPath, stderr: string): string {
  const errors = [...stderr.matchAll(/^(?:error|fatal): (.*)$/gm)].map(([, text = ""]) => text)
  return errors.find((error) => error.includes(toText(path))) ?? errors[0] ?? "Git refuses it."
}

/** Returns the folders that git skipped because it can't read them. Git only prints a warning about such folders. */
export function unreadableFolders(stderr: string): LeftOut[] {
  const found = stderr.matchAll(/^warning: could not open directory '(.*)': (.*)$/gm)
  const reasons = new Map([...found].map(([, path = "", reason = ""]) => [fromText(path), reason]))
  return [...reasons].map(([path, reason]) => ({ path, reason }))
}

/** Number of listed files above which git writes new files to a pack instead of loose objects. */
const MANY = 100
/**
 * Settings that make git write new files to one pack. Calls with few files don't use these settings, because their
 * small packs would accumulate: git's gc doesn't run.
 */
const IN_ONE_PACK = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.bigFileThreshold",
  GIT_CONFIG_VALUE_0: "1",
}

const included = (path: GitPath) => `:(top,literal)${path}`
const excluded = (path: GitPath) => `:(top,exclude,literal)${path}`
