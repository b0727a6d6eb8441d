import { MAIN_WORKTREE } from "./names-schema.ts"

const PREFIX = "switchyard/"

/**
 * A worktree's name as a part of the names of branches and files: empty for `main`, and another one for each. It has no
 * dot, which git refuses in some places, and with which one worktree's file could be named like another's with a suffix;
 * a sign takes its place that no name has.
 */
export function worktreeSlug(name: string): string {
  return name === MAIN_WORKTREE ? "" : name.replaceAll(".", "=")
}

/**
 * The branch that the work in a session's worktree is on: the first words of what was asked, and enough of the session's id
 * that no two sessions of a repository share it; without words, the whole id. No two worktrees of a session have the same.
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
/** Words that say little about a task. */
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

/** `add-json-flag-list` for "Add a --json flag to the list command". */
function branchWords(title: string): string {
  const plain = title
    .normalize("NFKD")
    .replaceAll(/\p{M}|['’]/gu, "")
    .toLowerCase()
  const words = (plain.match(/[a-z0-9]+/g) ?? []).filter((word) => !FILLERS.has(word)).slice(0, MAX_WORDS)
  const joined = words.join("-")
  return joined.length <= MAX_CHARS ? joined : joined.slice(0, MAX_CHARS).replace(/-[^-]*$/, "")
}

/** Whether a branch belongs to a session: not a target of merges, and not shown among the others. */
export function isTaskBranch(branch: string): boolean {
  return branch.startsWith(PREFIX)
}
