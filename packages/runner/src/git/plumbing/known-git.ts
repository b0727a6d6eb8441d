import type { KnownRepositories } from "./repository.ts"

/** Number of commits that the work's commit lacks of a branch, and number of commits that only the work's has. */
export type Distance = readonly [behind: number, ahead: number]

/** Answers that git has given before. They save processes, because each question starts git. */
export interface KnownGit {
  repositories: KnownRepositories
  /** Stamps of the git folders of worktrees whose commit and index git could read, by worktree. */
  readable: Map<string, string>
  /** Answers about pairs of commits. They stay true, because commits never change. */
  distances: Map<string, Distance>
  differ: Map<string, boolean>
  /** Lists of files in commits, by commit and git's arguments. */
  lists: Map<string, Buffer>
  /** Commits of the work that the runner made. */
  commits: Map<string, { tree: string; parent: string }>
}

export function createKnownGit(): KnownGit {
  return {
    repositories: new Map(),
    readable: new Map(),
    distances: new Map(),
    differ: new Map(),
    lists: new Map(),
    commits: new Map(),
  }
}

/** Returns a known answer about commits. Otherwise, asks git and remembers the answer. */
export async function recall<T>(answers: Map<string, T>, about: readonly string[], ask: () => Promise<T>): Promise<T> {
  const key = about.join(" ")
  const answer = answers.get(key) ?? (await ask())
  // Forget everything rather than grow without limit. A session has far fewer commits than this.
  if (answers.size > MAX_ANSWERS) answers.clear()
  answers.set(key, answer)
  return answer
}

const MAX_ANSWERS = 1000

/** Remembers a new commit. No branch contains it yet, so its distances follow from those of its only parent. */
export function noteCommit(
  { distances, commits }: KnownGit,
  { commit, tree, parent }: { commit: string; tree: string; parent: string },
): void {
  commits.set(commit, { tree, parent })
  for (const [key, [behind, ahead]] of [...distances]) {
    const [from, to] = key.split(" ")
    if (to === parent) distances.set(`${from} ${commit}`, [behind, ahead + 1])
  }
}

/** Lists a commit and its known ancestors, newest first. */
export function lineOf({ commits }: KnownGit, commit: string): string[] {
  const line = [commit]
  for (let at = commits.get(commit); at; at = commits.get(at.parent)) line.push(at.parent)
  return line
}
