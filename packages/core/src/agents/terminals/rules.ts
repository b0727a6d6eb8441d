import { AppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import type { Rule } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { isOpen } from "./open-terminals.ts"

/**
 * Claims the session's terminals. Later events from older runners are refused. The terminals that those runners left
 * open must be closed next. A resumed runner passes the generation that it had when it parked, and is refused if
 * another runner has claimed the session since.
 */
export function claimRunner(executor: string, after?: number): Rule {
  return (state) => {
    if (!isLive(state)) return new AppError("session_deleted", "This session was deleted.")
    if (after !== undefined && state.runner.generation !== after) return superseded(after)
    return [{ type: "runner_claimed", generation: state.runner.generation + 1, executor }]
  }
}

/** Appends a runner's events if its claim is still the newest. */
export function appendAsRunner(generation: number, events: NewEvent[]): Rule {
  return (state) => {
    if (isLive(state) && state.runner.generation === generation) return events
    return superseded(generation)
  }
}

/**
 * Closes a terminal that an older runner left open. Does nothing for a runner that was replaced: its successor closes
 * the terminal.
 */
export function closeAbandoned(generation: number, pty: string, events: NewEvent[]): Rule {
  return (state) => {
    if (state.runner.generation !== generation || !isOpen(state.runner, pty)) return []
    return events.length > 0 ? events : [terminalClosed(pty)]
  }
}

/** Closes the terminals that a finished run left open in the log. */
export function closeTerminals(generation: number, runId: string): Rule {
  return (state) => {
    if (!isLive(state) || state.runner.generation !== generation) return []
    return state.runner.terminals.filter((one) => one.runId === runId).map(({ pty }) => terminalClosed(pty))
  }
}

/**
 * Parks the runner unless it was replaced. With `standby`, its machine is kept. With `unheard`, the next runner reads
 * the messages that this runner left unread.
 */
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
  return new AppError("run_superseded", "Another runner is serving this session.", { generation })
}

/** Creates the event that closes a terminal with an unknown exit code. */
export function terminalClosed(pty: string): NewEvent {
  return { type: "terminal_closed", pty, exit_code: null, signal: null, recording: null }
}
