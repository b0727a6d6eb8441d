import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"

/**
 * Takes the session's terminals: whatever an older runner still wants to say of them is refused from here on. Those that it
 * left open are to be closed next.
 */
export function claimRunner(executor: string): Rule {
  return (state) => {
    if (!isLive(state)) return new AppError("session_deleted", "This session was deleted.")
    return [{ type: "runner_claimed", generation: state.runner.generation + 1, executor }]
  }
}

/** Appends a runner's events, while its claim is the newest. */
export function asRunner(generation: number, events: NewEvent[]): Rule {
  return (state) => {
    if (isLive(state) && state.runner.generation === generation) return events
    return new AppError("run_superseded", "Another runner serves this session.", { generation })
  }
}

/** Closes a terminal that an older runner left open, with what is known of it. A runner that was replaced leaves it to the next. */
export function closeLeft(generation: number, pty: string, events: NewEvent[]): Rule {
  return (state) => {
    if (state.runner.generation !== generation || !state.runner.terminals.includes(pty)) return []
    return events.length > 0 ? events : [terminalClosed(pty)]
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
export function terminalClosed(pty: string): NewEvent {
  return { type: "terminal_closed", pty, exit_code: null, signal: null, recording: null }
}
