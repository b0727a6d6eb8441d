import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { isOpen } from "./open-terminals.ts"

/**
 * Claims the session's terminals: an older runner's events of them are refused from here on. Those that it left open are to
 * be closed next. A runner that parked and was resumed names the generation after which it claims: if another one has claimed
 * the session meanwhile, it is superseded.
 */
export function claimRunner(executor: string, after?: number): Rule {
  return (state) => {
    if (!isLive(state)) return new AppError("session_deleted", "This session was deleted.")
    if (after !== undefined && state.runner.generation !== after) return superseded(after)
    return [{ type: "runner_claimed", generation: state.runner.generation + 1, executor }]
  }
}

/** Appends a runner's events, while its claim is the newest. */
export function asRunner(generation: number, events: NewEvent[]): Rule {
  return (state) => {
    if (isLive(state) && state.runner.generation === generation) return events
    return superseded(generation)
  }
}

/** Closes a terminal that an older runner left open. A superseded runner leaves that to the next. */
export function closeAbandoned(generation: number, pty: string, events: NewEvent[]): Rule {
  return (state) => {
    if (state.runner.generation !== generation || !isOpen(state.runner, pty)) return []
    return events.length > 0 ? events : [terminalClosed(pty)]
  }
}

/** Closes the terminals that a run left open in the log: it ended before it could append that. */
export function closeTerminals(generation: number, runId: string): Rule {
  return (state) => {
    if (!isLive(state) || state.runner.generation !== generation) return []
    return state.runner.terminals.filter((one) => one.runId === runId).map(({ pty }) => terminalClosed(pty))
  }
}

/** Parks the runner, unless it was superseded. On standby its machine stays; messages that it leaves unheard are the next one's. */
export function parkRunner(
  generation: number,
  reason: string,
  { standby, unheard }: { standby?: boolean | undefined; unheard?: boolean } = {},
): Rule {
  return (state) => {
    if (!isLive(state) || state.runner.generation !== generation || state.runner.executor === null) return []
    return [{ type: "runner_parked", generation, reason, ...(standby && { standby }), ...(unheard && { unheard }) }]
  }
}

function superseded(generation: number): AppError {
  return new AppError("run_superseded", "Another runner serves this session.", { generation })
}

/** The end of a terminal whose exit is unknown. */
export function terminalClosed(pty: string): NewEvent {
  return { type: "terminal_closed", pty, exit_code: null, signal: null, recording: null }
}
