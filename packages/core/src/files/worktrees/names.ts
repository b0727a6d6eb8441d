import { MAIN_WORKTREE } from "./names-schema.ts"

const PREFIX = "switchyard/"
/**
 * Prefix used if the repository has a branch named `switchyard`. Git can't have both `switchyard` and `switchyard/x`.
 */
const OTHER_PREFIX = "switchyard-work/"

/**
 * Converts a worktree's name to a unique part of branch and file names; empty for `main`. Replaces dots, because git
 * rejects them in some positions, and because they could make a file name look like another worktree's name with a
 * suffix. Worktree names never contain the replacement.
 */
export function worktreeSlug(name: string): string {
  return name === MAIN_WORKTREE ? "" : name.replaceAll(".", "=")
}

/**
 * Returns the branch name for a session's worktree: the first words of the task, plus enough of the session's ID to be
 * unique in a repository. Without words, uses the whole ID. A session's worktrees all have different branches.
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

/** Returns `add-json-flag-list` for "Add a --json flag to the list command". */
function branchWords(title: string): string {
  const plain = title
    .normalize("NFKD")
    .replaceAll(/\p{M}|['’]/gu, "")
    .toLowerCase()
  const words = (plain.match(/[a-z0-9]+/g) ?? []).filter((word) => !FILLERS.has(word)).slice(0, MAX_WORDS)
  const joined = words.join("-")
  return joined.length <= MAX_CHARS ? joined : joined.slice(0, MAX_CHARS).replace(/-[^-]*$/, "")
}

/** True for a session's branch. Such branches are hidden in branch lists and can't be merged into. */
export function isTaskBranch(branch: string): boolean {
  return branch.startsWith(PREFIX) || branch.startsWith(OTHER_PREFIX)
}

/** Returns the names that a session's branch may have, in order of preference. */
export function sessionBranches(branch: string): string[] {
  const name = branch.slice(branch.indexOf("/") + 1)
  return [PREFIX, OTHER_PREFIX].map((prefix) => prefix + name)
}
