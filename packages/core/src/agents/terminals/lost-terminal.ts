import type { NewEvent } from "../../events.ts"
import type { RunState } from "../../work/runs/state.ts"
import { castHeader, castLine } from "./asciicast.ts"
import { storeRecording } from "./recordings.ts"
import type { TerminalFrame } from "./schema.ts"
import { endTerminal, readTerminal, type TerminalLogDeps } from "./terminal-log.ts"
import { createViewerFrames } from "./viewer-frames.ts"

interface LostTerminal {
  sid: string
  incarnation: number
  pty: string
  writer: string
  /** False if this terminal isn't meant to be recorded, for example because it was used for a login. */
  isRecorded: boolean
}

/** True if the terminals of a run are recorded. Terminals without a run are always recorded. */
export function isRecorded(run: Pick<RunState, "kind"> | undefined): boolean {
  return run?.kind !== "login"
}

/** Returns a terminal's last screen as text. Null if it is unknown. */
export type ReadLastScreen = (frames: AsyncIterable<TerminalFrame>) => Promise<string | null>

/**
 * Ends a terminal whose runner is gone. Returns the events that the runner would have appended, with the last screen
 * and the recording as far as the log contains them. Idempotent.
 */
export async function closeLostTerminal(
  deps: TerminalLogDeps,
  terminal: LostTerminal,
  lastScreen: ReadLastScreen,
  { signal }: { signal: AbortSignal },
): Promise<NewEvent[]> {
  const { pty } = terminal
  await endTerminal(deps, terminal, { signal })
  const recording = terminal.isRecorded ? await keepRecording(deps, terminal, signal) : null
  const text = await lastScreen(framesOf(deps, terminal, signal))
  return [
    ...(text === null ? [] : [{ type: "terminal_output" as const, pty, data: text }]),
    { type: "terminal_closed", pty, exit_code: null, signal: null, recording },
  ]
}

/** Creates a recording from a log and stores it. Returns null if the terminal was never displayed. */
async function keepRecording(
  deps: TerminalLogDeps,
  terminal: LostTerminal,
  signal: AbortSignal,
): Promise<string | null> {
  if (!(await wasShown(framesOf(deps, terminal, signal)))) return null
  const frames = timedFrames(deps, terminal, signal)
  return storeRecording(deps.blobs, terminal, asciicast(frames, terminal.pty), { signal })
}

async function wasShown(frames: AsyncIterable<TerminalFrame>): Promise<boolean> {
  for await (const { type } of frames) if (type !== "ended") return true
  return false
}

/**
 * Returns the last screen without using a terminal emulator. Works for line-based output. Returns null for full-screen
 * programs.
 */
export async function lastLines(frames: AsyncIterable<TerminalFrame>): Promise<string | null> {
  let text = ""
  let rows = 24
  for await (const frame of frames) {
    if ("rows" in frame) rows = frame.rows
    if (frame.type === "snapshot") text = frame.screen
    if (frame.type === "bytes") text = (text + Buffer.from(frame.bytes).toString()).slice(-MAX_CHARACTERS)
  }
  if (FULL_SCREEN.test(text)) return null
  const lines = text.replace(SEQUENCE, "").replaceAll("\r", "").trimEnd().split("\n")
  return lines.slice(-rows).join("\n")
}

const MAX_CHARACTERS = 64 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
const FULL_SCREEN = /\u001b\[(?:\?1049h|[23]?J|\d*;\d*H)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
const SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[^[]/g

interface TimedFrame {
  at: number
  frame: TerminalFrame
}

async function* timedFrames(deps: TerminalLogDeps, { sid, pty }: LostTerminal, signal: AbortSignal) {
  const viewer = createViewerFrames(0)
  for await (const event of readTerminal(deps, sid, pty, { signal })) {
    for (const frame of viewer.framesFor(event)) yield { at: Date.parse(event.ts), frame }
  }
}

async function* framesOf(deps: TerminalLogDeps, terminal: LostTerminal, signal: AbortSignal) {
  for await (const { frame } of timedFrames(deps, terminal, signal)) yield frame
}

/** Yields the recording of a log. If a snapshot replaces missing bytes, clears the screen before it. */
async function* asciicast(frames: AsyncIterable<TimedFrame>, title: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let started: { at: number; size: string } | undefined
  for await (const { at, frame } of frames) {
    const size = "rows" in frame ? `${frame.cols}x${frame.rows}` : (started?.size ?? "80x24")
    if (!started) yield header(size, at, title)
    started ??= { at, size }
    const sinceMs = Math.max(0, at - started.at)
    if (size !== started.size) yield line(sinceMs, "r", size)
    started = { at: started.at, size }
    const text = outputOf(frame, decoder)
    if (text !== "") yield line(sinceMs, "o", text)
  }
  if (!started) yield header("80x24", 0, title)
}

function outputOf(frame: TerminalFrame, decoder: TextDecoder): string {
  if (frame.type === "bytes") return decoder.decode(frame.bytes, { stream: true })
  return frame.type === "snapshot" && frame.offset > 0 ? `\u001bc${frame.screen}` : ""
}

function header(size: string, beganAtMs: number, title: string): Uint8Array {
  const [cols = 80, rows = 24] = size.split("x").map(Number)
  return Buffer.from(castHeader({ rows, cols, beganAtMs, title }))
}

function line(sinceMs: number, kind: "o" | "r", text: string): Uint8Array {
  return Buffer.from(castLine(sinceMs, kind, text))
}
