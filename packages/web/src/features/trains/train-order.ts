import type { SessionView } from "../../session/stream/view.ts"

/** A worktree that can be merged. */
export interface TrainEntry {
  worktree: string
  /** Those that would conflict with it, with the first file. */
  collidesWith: { worktree: string; file: string }[]
}

/** The worktrees with work to merge, in this order and then by their names. */
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

/** The names with the one at `from` at the place `to`; the same ones where that is none. */
export function moved(names: readonly string[], from: number, to: number): readonly string[] {
  const name = names[from]
  if (name === undefined || to < 0 || to >= names.length || from === to) return names
  const rest = names.filter((_, index) => index !== from)
  return [...rest.slice(0, to), name, ...rest.slice(to)]
}
