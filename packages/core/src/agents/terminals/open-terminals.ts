/** Open terminal, and the run for which it was opened, if any. */
export interface OpenTerminal {
  pty: string
  runId: string | null
  agentId: string
  /** True if people type messages to the agent into the terminal, instead of keystrokes for the agent's program. */
  isTurn: boolean
}

/** True if the terminal is open. */
export function isOpen({ terminals }: { terminals: OpenTerminal[] }, pty: string): boolean {
  return terminals.some((terminal) => terminal.pty === pty)
}
