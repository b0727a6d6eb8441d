import type { TerminalView } from "../../../session/stream/agent.ts"
import { isFindChord, isLeaveChord } from "../controls/keys.ts"
import type { TerminalFrame } from "./terminal-frames.ts"

export interface TerminalState {
  /** `lost`: the stream broke and is being reopened. `refused`: the server won't serve this terminal. */
  connection: "connecting" | "live" | "lost" | "refused"
  /** True if any of its output is on the screen. */
  drawn: boolean
  ended: boolean
  rows: number
  cols: number
}

export const connecting: TerminalState = { connection: "connecting", drawn: false, ended: false, rows: 24, cols: 80 }

/** Returns the state after a frame of the stream. `drawn` follows once the frame's output has been written. */
export function reduceTerminal(state: TerminalState, frame: TerminalFrame | { type: "drawn" }): TerminalState {
  switch (frame.type) {
    case "connection":
      return { ...state, connection: frame.state }
    case "snapshot":
    case "resized":
      return { ...state, rows: frame.rows, cols: frame.cols }
    case "drawn":
      return { ...state, drawn: true }
    case "ended":
      return { ...state, ended: true }
    case "bytes":
      return state
  }
}

/** Returns true if input reaches the terminal's program: it is accepted, and the terminal is connected. */
export function isOpen(terminal: TerminalView, state: TerminalState, replaying: boolean): boolean {
  return acceptsInput(terminal, state, replaying) && state.connection === "live"
}

/**
 * Returns true if input is accepted: the program is running and shown live. Text typed before the terminal is connected
 * is held until it is open. While the connection is lost, the page says that typing is off.
 */
export function acceptsInput(terminal: TerminalView, state: TerminalState, replaying: boolean): boolean {
  const isConnectable = state.connection === "connecting" || state.connection === "live"
  return !terminal.closed && !replaying && isConnectable && !state.ended
}

/** Returns true if the terminal handles a key. A terminal without input leaves shortcuts to the page. */
export function takesKey(event: KeyboardEvent, accepts: boolean): boolean {
  return !isLeaveChord(event) && (accepts || !isFindChord(event))
}

/** Describes a terminal's size, whether this page controls it, and how its task or program ended. */
export function statusText(
  terminal: TerminalView,
  state: TerminalState,
  { ownsSize, failed }: { ownsSize: boolean; failed: boolean },
): string {
  const size = `${state.cols} × ${state.rows}`
  if (terminal.closed || state.ended) {
    const exit = terminal.exitCode ? `exit ${terminal.exitCode}` : null
    // A program that failed its task may still exit with 0.
    return [size, failed ? "failed" : null, exit ?? (failed ? null : "ended")].filter(Boolean).join(" · ")
  }
  if (state.connection === "connecting") return "Connecting"
  return ownsSize ? `${size} · sized by you` : size
}
