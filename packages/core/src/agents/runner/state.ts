import type { EventOf } from "../../events.ts"
import type { Part } from "../../kernel/part.ts"
import { MAIN_AGENT } from "../conversations/schema.ts"
import type { OpenTerminal } from "../terminals/open-terminals.ts"

/** Process that serves the session's terminals. */
export interface RunnerState {
  /** Number of the newest claim. It identifies the inbox that a runner reads. 0 before the first claim. */
  generation: number
  /** Executor that currently serves the session. Null if there is none. */
  executor: string | null
  /**
   * Last executor that parked, if its machine still exists and can be resumed. Null once another executor serves the
   * session.
   */
  standby: string | null
  /**
   * Generation of the earliest runner that may have left messages from people unread. This happens if the runner and
   * all of its successors may have died before passing the messages on. Null if there is no such runner.
   */
  unheardSince: number | null
  /** Terminals that have been opened by this runner or an earlier one and not been closed. The newest is last. */
  terminals: OpenTerminal[]
}

export const runnerPart: Part<RunnerState> = {
  version: 4,
  initial: { generation: 0, executor: null, standby: null, unheardSince: null, terminals: [] },
  outlivesSession: true,
  apply(runner, event) {
    switch (event.type) {
      case "runner_claimed":
        return claimed(runner, event)
      case "runner_parked":
        if (event.generation !== runner.generation) return runner
        return parked(runner, event)
      case "session_opened":
      case "session_deleted":
        return { ...runner, unheardSince: null }
      case "terminal_opened":
        return { ...runner, terminals: [...runner.terminals, openedTerminal(event)] }
      case "terminal_closed":
        return { ...runner, terminals: runner.terminals.filter(({ pty }) => pty !== event.pty) }
      default:
        return runner
    }
  },
}

function claimed(runner: RunnerState, { generation, executor }: EventOf<"runner_claimed">): RunnerState {
  return { ...runner, generation, executor, standby: null, unheardSince: runner.unheardSince ?? generation }
}

function parked(runner: RunnerState, { standby, unheard }: EventOf<"runner_parked">): RunnerState {
  const unheardSince = unheard ? runner.unheardSince : null
  return { ...runner, executor: null, standby: standby ? runner.executor : null, unheardSince }
}

function openedTerminal({ pty, run_id, agent_id, kind }: EventOf<"terminal_opened">): OpenTerminal {
  return { pty, runId: run_id ?? null, agentId: agent_id ?? MAIN_AGENT, isTurn: kind === "driver" }
}
