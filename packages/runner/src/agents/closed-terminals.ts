import type { TerminalInput } from "./open-terminal.ts"
import { isTextInput } from "./text-input.ts"

/** Closed terminals that didn't belong to a turn. Records whether text was typed into them after they were closed. */
export interface ClosedTerminals {
  add(pty: string, agentId: string): void
  /** Records that text was typed into a closed terminal. */
  receive(input: TerminalInput): void
  /**
   * Returns the agents whose closed terminals have received text since the last call. Each terminal is reported once.
   */
  takeLate(): string[]
}

/** Number of terminals to remember. Older terminals can't receive input any more. */
const MAX_CLOSED = 100

export function createClosedTerminals(): ClosedTerminals {
  /** Agent id per terminal. */
  const closed = new Map<string, string>()
  let late: string[] = []
  return {
    add(pty, agentId) {
      closed.set(pty, agentId)
      if (closed.size > MAX_CLOSED) closed.delete(closed.keys().next().value ?? "")
    },
    receive(input) {
      const agentId = closed.get(input.pty)
      if (agentId === undefined || !isTextInput(input)) return
      closed.delete(input.pty)
      late.push(agentId)
    },
    takeLate() {
      const agents = late
      late = []
      return agents
    },
  }
}
