import type { NewEvent } from "@switchyard/core/events"

/** Collects notices for people about a worktree. Skips texts that were added before. */
export interface Notices {
  add(text: string, about?: { forAgent: boolean }): void
  /** Returns the notices added since the last call. */
  take(): NewEvent[]
  /** Returns all notices that agents should receive too. */
  forAgents(): string[]
}

export function createNotices(): Notices {
  const known = new Set<string>()
  const forAgents: string[] = []
  let waiting: string[] = []
  return {
    add(text, { forAgent } = { forAgent: false }) {
      if (known.has(text)) return
      known.add(text)
      waiting.push(text)
      if (forAgent) forAgents.push(text)
    },
    take() {
      const taken = waiting
      waiting = []
      return taken.map((text) => ({ type: "agent_notice", text }))
    },
    forAgents: () => forAgents,
  }
}
