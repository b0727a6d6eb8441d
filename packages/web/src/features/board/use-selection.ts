import { useState } from "react"

export interface Selection {
  ids: ReadonlySet<string>
  /** Selects or deselects a session. `upTo`: with all sessions since the one chosen before. */
  toggle(id: string, options?: { upTo?: boolean }): void
  clear(): void
}

/** Holds the selected sessions. `shown`: all sessions in the order of the board; others aren't selected. */
export function useSelection(shown: string[]): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<string | null>(null)
  const ids = new Set(shown.filter((id) => chosen.has(id)))
  return {
    ids,
    toggle(id, { upTo = false } = {}) {
      const from = last === null ? -1 : shown.indexOf(last)
      const [start, end] = [from, shown.indexOf(id)].sort((a, b) => a - b) as [number, number]
      const range = upTo && start >= 0 ? shown.slice(start, end + 1) : [id]
      const next = new Set(ids)
      if (ids.has(id)) for (const one of range) next.delete(one)
      else for (const one of range) next.add(one)
      setChosen(next)
      setLast(id)
    },
    clear: () => setChosen(new Set()),
  }
}
