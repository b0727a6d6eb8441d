/** An open terminal, and the run that it was opened for, if any. */
export interface OpenTerminal {
  pty: string
  runId: string | null
  agentId: string
  /**
   * True if people use this terminal to type messages to the agent. False if their keystrokes go to the agent's
   * program.
   */
  isTurn: boolean
}

/** True if the terminal is open. */
export function isOpen({ terminals }: { terminals: OpenTerminal[] }, pty: string): boolean {
  return terminals.some((terminal) => terminal.pty === pty)
}
