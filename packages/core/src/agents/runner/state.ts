import type { EventOf } from "../../events.ts"
import type { Part } from "../../kernel/part.ts"
import { MAIN_AGENT } from "../conversations/schema.ts"
import type { OpenTerminal } from "../terminals/open-terminals.ts"

/** The process that serves the session's terminals. */
export interface RunnerState {
  /** The newest claim; 0 before the first. It names the inbox that a runner reads. */
  generation: number
  /** Null while there is none. */
  executor: string | null
  /** The executor that parked last, where its machine stays and can be resumed; null once another serves the session. */
  standby: string | null
  /** Terminals that were opened and not closed, by this runner or by one that died; the newest last. */
  terminals: OpenTerminal[]
}

export const runnerPart: Part<RunnerState> = {
  version: 3,
  initial: { generation: 0, executor: null, standby: null, terminals: [] },
  outlivesSession: true,
  apply(runner, event) {
    switch (event.type) {
      case "runner_claimed":
        return { ...runner, generation: event.generation, executor: event.executor, standby: null }
      case "runner_parked":
        if (event.generation !== runner.generation) return runner
        return { ...runner, executor: null, standby: event.standby ? runner.executor : null }
      case "terminal_opened":
        return { ...runner, terminals: [...runner.terminals, openedTerminal(event)] }
      case "terminal_closed":
        return { ...runner, terminals: runner.terminals.filter(({ pty }) => pty !== event.pty) }
      default:
        return runner
    }
  },
}

function openedTerminal({ pty, run_id, agent_id }: EventOf<"terminal_opened">): OpenTerminal {
  return { pty, runId: run_id ?? null, agentId: agent_id ?? MAIN_AGENT }
}
