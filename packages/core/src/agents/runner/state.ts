import type { Part } from "../../kernel/part.ts"

/** The process that serves the session's terminals. */
export interface RunnerState {
  /** The newest claim; 0 before the first. It names the inbox that a runner reads. */
  generation: number
  /** Null while there is none. */
  executor: string | null
  /** Terminals that were opened and not closed, by this runner or by one that died. */
  terminals: string[]
}

export const runnerPart: Part<RunnerState> = {
  version: 1,
  initial: { generation: 0, executor: null, terminals: [] },
  outlivesSession: true,
  apply(runner, event) {
    switch (event.type) {
      case "runner_claimed":
        return { ...runner, generation: event.generation, executor: event.executor }
      case "runner_parked":
        return event.generation === runner.generation ? { ...runner, executor: null } : runner
      case "terminal_opened":
        return { ...runner, terminals: [...runner.terminals, event.pty] }
      case "terminal_closed":
        return { ...runner, terminals: runner.terminals.filter((pty) => pty !== event.pty) }
      default:
        return runner
    }
  },
}
