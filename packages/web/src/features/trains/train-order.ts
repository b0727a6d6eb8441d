import type { SessionView } from "../../session/stream/view.ts"

/** A worktree that can be merged. */
export interface TrainEntry {
  worktree: string
  /** Worktrees that would conflict with it, each with the first file. */
  collidesWith: { worktree: string; file: string }[]
}

/** Returns the worktrees with work to merge, in the given order, then by name. */
export function trainEntries(
  { worktrees, collisions }: Pick<SessionView, "worktrees" | "collisions">,
  order: readonly string[],
): TrainEntry[] {
  const names = Object.entries(worktrees).flatMap(([name, work]) => (work.hasChanges ? [name] : []))
  const known = order.filter((name) => names.includes(name))
  const others = names.filter((name) => !known.includes(name)).sort()
  return [...known, ...others].map((worktree) => {
    const colliding = collisions.filter((pair) => pair.worktrees.includes(worktree))
    const collidesWith = colliding.map(({ worktrees: pair, files }) => {
      return { worktree: pair.find((name) => name !== worktree) ?? worktree, file: files[0] ?? "" }
    })
    return { worktree, collidesWith }
  })
}

/** Returns the names with the one at `from` moved to `to`; unchanged if there is no such position. */
export function moved(names: readonly string[], from: number, to: number): readonly string[] {
  if (!(from in names) || !(to in names) || from === to) return names
  return names.toSpliced(from, 1).toSpliced(to, 0, ...names.slice(from, from + 1))
}
