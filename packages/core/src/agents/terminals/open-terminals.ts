/** An open terminal, and the run that it belongs to. */
export interface OpenTerminal {
  pty: string
  runId: string | null
  agentId: string
  /** True if people type messages for the agent into it, instead of keys for its program. */
  isTurn: boolean
}

/** True if the terminal was opened and not closed. */
export function isOpen({ terminals }: { terminals: OpenTerminal[] }, pty: string): boolean {
  return terminals.some((terminal) => terminal.pty === pty)
}
