import { AppError } from "../errors.ts"
import type { NewEvent } from "../events.ts"
import type { Rule } from "../sessions/session-log.ts"
import { isLive } from "../sessions/state.ts"

/**
 * Takes the session's terminals: whatever an older runner still wants to say of them is refused from here on, and those
 * that it left open are closed.
 */
export function claimRunner(executor: string): Rule {
  return (state) => {
    if (!isLive(state)) return new AppError("session_deleted", "This session was deleted.")
    return [
      { type: "runner_claimed", generation: state.runner.generation + 1, executor },
      ...state.runner.terminals.map(terminalClosed),
    ]
  }
}

/** What a runner wants to say. It counts only while its claim is the newest. */
export function asRunner(generation: number, events: NewEvent[]): Rule {
  return (state) => {
    if (isLive(state) && state.runner.generation === generation) return events
    return new AppError("run_superseded", "Another runner serves this session.", { generation })
  }
}

/** Closes the terminals that are open in the log and not here: their run ended before it could say so. */
export function closeTerminals(generation: number, isOpen: (pty: string) => boolean): Rule {
  return (state) => {
    if (!isLive(state) || state.runner.generation !== generation) return []
    return state.runner.terminals.filter((pty) => !isOpen(pty)).map(terminalClosed)
  }
}

/** The runner goes; there is nothing to say for one that was replaced. */
export function parkRunner(generation: number, reason: string): Rule {
  return (state) => {
    if (!isLive(state) || state.runner.generation !== generation || state.runner.executor === null) return []
    return [{ type: "runner_parked", generation, reason }]
  }
}

/** By somebody who doesn't know how it ended. */
function terminalClosed(pty: string): NewEvent {
  return { type: "terminal_closed", pty, exit_code: null, signal: null, recording: null }
}
