import type { TerminalView } from "../../../session/stream/agent.ts"
import { isFindChord, isLeaveChord } from "../controls/keys.ts"
import type { TerminalFrame } from "./terminal-frames.ts"

export interface TerminalState {
  /** `lost`: the stream broke off and is opened again. `refused`: the server doesn't give this terminal out. */
  connection: "connecting" | "live" | "lost" | "refused"
  /** Whether any of its output is on the screen. */
  drawn: boolean
  ended: boolean
  rows: number
  cols: number
}

export const connecting: TerminalState = { connection: "connecting", drawn: false, ended: false, rows: 24, cols: 80 }

/** The state after a frame of the stream; `drawn` follows once the emulator has written a frame's output. */
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

/** Whether input reaches the terminal's program: it runs, is connected, and is shown as it is now. */
export function isOpen(terminal: TerminalView, state: TerminalState, replaying: boolean): boolean {
  return !terminal.closed && !replaying && state.connection === "live" && !state.ended
}

/** Whether a key belongs to the terminal. One that takes no input has no use for the page's own chords. */
export function takesKey(event: KeyboardEvent, open: boolean): boolean {
  return !isLeaveChord(event) && (open || !isFindChord(event))
}

/** The size of a terminal, whether this page owns it, and how its program ended. */
export function statusText(terminal: TerminalView, state: TerminalState, ownsSize: boolean): string {
  const size = `${state.cols} × ${state.rows}`
  if (terminal.closed || state.ended) {
    return `${size} · ${terminal.exitCode ? `exit ${terminal.exitCode}` : "ended"}`
  }
  if (state.connection === "connecting") return "connecting"
  return ownsSize ? `${size} · sized by you` : size
}
