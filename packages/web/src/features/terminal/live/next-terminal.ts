import type { TerminalView } from "../../../session/stream/agent.ts"

/** Returns the latest terminal of the same run; undefined if this is the latest. */
export function nextTerminal(terminal: TerminalView, terminals: TerminalView[]): TerminalView | undefined {
  const latest = terminals.findLast(({ runId }) => runId !== null && runId === terminal.runId)
  return latest?.pty === terminal.pty ? undefined : latest
}
