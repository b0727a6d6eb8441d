import { MAIN_WORKTREE } from "./names-schema.ts"

const PREFIX = "switchyard/"
/**
 * Prefix to use if the repository has a branch named `switchyard`, because git can't have both `switchyard` and
 * `switchyard/x`.
 */
const OTHER_PREFIX = "switchyard-work/"

/**
 * Converts a worktree's name to a unique part of branch and file names, which is empty for `main`. Dots are replaced,
 * because git rejects them in some positions, and because they could make a file name look like the name of another
 * worktree with a suffix. Names of worktrees never contain the replacement.
 */
export function worktreeSlug(name: string): string {
  return name === MAIN_WORKTREE ? "" : name.replaceAll(".", "=")
}

/**
 * Returns the name of the branch for a session's worktree. It consists of the first words of the task, and of enough of
 * the session's ID to be unique in a repository. Without words, the whole ID is used. All worktrees of a session have
 * different branches.
 */
export function taskBranch(sessionId: string, worktree: string = MAIN_WORKTREE, title = ""): string {
  const session = sessionId.replaceAll(/[^A-Za-z0-9_-]/g, "-")
  const words = branchWords(title)
  const name = words ? `${words}-${session.slice(0, ID_CHARS)}` : session
  const slug = worktreeSlug(worktree)
  return `${PREFIX}${name}${slug && `.${slug}`}`
}

const ID_CHARS = 8
const MAX_WORDS = 4
const MAX_CHARS = 32
/** Words that add little meaning. */
const FILLERS = new Set([
  "a",
  "an",
  "and",
  "by",
  "for",
  "in",
  "it",
  "its",
  "of",
  "on",
  "or",
  "please",
  "the",
  "that",
  "to",
  "with",
])

/**
 * Returns the main words of a title in the form of a branch name, such as `add-json-flag-list` for "Add a --json flag
 * to the list command".
 */
function branchWords(title: string): string {
  const plain = title
    .normalize("NFKD")
    .replaceAll(/\p{M}|['’]/gu, "")
    .toLowerCase()
  const words = (plain.match(/[a-z0-9]+/g) ?? []).filter((word) => !FILLERS.has(word)).slice(0, MAX_WORDS)
  const joined = words.join("-")
  return joined.length <= MAX_CHARS ? joined : joined.slice(0, MAX_CHARS).replace(/-[^-]*$/, "")
}

/** True for a session's branch. Such branches are hidden in lists of branches, and work can't be merged into them. */
export function isTaskBranch(branch: string): boolean {
  return branch.startsWith(PREFIX) || branch.startsWith(OTHER_PREFIX)
}

/** Returns the possible names of a session's branch, in order of preference. */
export function sessionBranches(branch: string): string[] {
  const name = branch.slice(branch.indexOf("/") + 1)
  return [PREFIX, OTHER_PREFIX].map((prefix) => prefix + name)
}
