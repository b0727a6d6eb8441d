import type { SessionView } from "../../../session/stream/view.ts"

/** Returns the agent that works in a terminal, as named in addresses; undefined if none does. */
export function agentOfTerminal(agents: SessionView["agents"], pty: string | undefined): string | undefined {
  const owns = ([, { agent }]: (typeof entries)[number]) => agent.terminals.some((terminal) => terminal.pty === pty)
  const entries = Object.entries(agents)
  const [id, state] = entries.find(owns) ?? []
  return state?.agent.name ?? id
}
