import type { NewEvent } from "@switchyard/core/events"

/** Notices about a worktree for people, each text once. */
export interface Notices {
  add(text: string): void
  /** Takes the notices since the last call. */
  take(): NewEvent[]
}

export function createNotices(): Notices {
  const known = new Set<string>()
  let waiting: string[] = []
  return {
    add(text) {
      if (known.has(text)) return
      known.add(text)
      waiting.push(text)
    },
    take() {
      const taken = waiting
      waiting = []
      return taken.map((text) => ({ type: "agent_notice", text }))
    },
  }
}
