import type { NewEvent } from "@switchyard/core/events"

/** Collects notices about a worktree for people, skipping repeated texts. */
export interface Notices {
  add(text: string): void
  /** Returns the notices added since the last call. */
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
