import type { NewEvent } from "../../events.ts"
import { incarnationBlobs } from "../../kernel/keys.ts"
import { castHeader, castLine } from "./asciicast.ts"
import type { TerminalFrame } from "./schema.ts"
import { endTerminal, readTerminal, type TerminalLogDeps } from "./terminal-log.ts"
import { createFollower } from "./viewer-frames.ts"

interface LostTerminal {
  sid: string
  incarnation: number
  pty: string
  writer: string
}

/** The last screen of a terminal, as text; null where it isn't known. */
export type LastScreen = (frames: AsyncIterable<TerminalFrame>) => Promise<string | null>

/**
 * Ends a terminal whose runner is gone, and resolves to what its runner would have told of it: its last screen and its
 * recording, as far as they came to its log. May be done again.
 */
export async function closeLostTerminal(
  deps: TerminalLogDeps,
  place: LostTerminal,
  lastScreen: LastScreen,
  { signal }: { signal: AbortSignal },
): Promise<NewEvent[]> {
  const { sid, pty } = place
  await endTerminal(deps, place, { signal })
  const recording = `${incarnationBlobs(sid, place.incarnation)}artifacts/recordings/${pty}.cast`
  const contentType = "application/x-asciicast"
  await deps.blobs.put(recording, asciicast(timed(deps, place, signal), pty), { contentType, signal })
  const text = await lastScreen(framesOf(deps, place, signal))
  return [
    ...(text === null ? [] : [{ type: "terminal_output" as const, pty, data: text }]),
    { type: "terminal_closed", pty, exit_code: null, signal: null, recording },
  ]
}

/** For whoever has no terminal to draw on: good for what is written line by line, and nothing for a program's own screen. */
export async function lastLines(frames: AsyncIterable<TerminalFrame>): Promise<string | null> {
  let text = ""
  let rows = 24
  for await (const frame of frames) {
    if ("rows" in frame) rows = frame.rows
    if (frame.type === "snapshot") text = frame.screen
    if (frame.type === "bytes") text = (text + Buffer.from(frame.bytes).toString()).slice(-KEPT_CHARACTERS)
  }
  if (OWN_SCREEN.test(text)) return null
  const lines = text.replace(SEQUENCE, "").replaceAll("\r", "").trimEnd().split("\n")
  return lines.slice(-rows).join("\n")
}

const KEPT_CHARACTERS = 64 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
const OWN_SCREEN = /\u001b\[(?:\?1049h|[23]?J|\d*;\d*H)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of a terminal begin with one
const SEQUENCE = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[^[]/g

interface TimedFrame {
  at: number
  frame: TerminalFrame
}

async function* timed(deps: TerminalLogDeps, { sid, pty }: LostTerminal, signal: AbortSignal) {
  const follower = createFollower(0)
  for await (const event of readTerminal(deps, sid, pty, { signal })) {
    for (const frame of follower.take(event)) yield { at: Date.parse(event.ts), frame }
  }
}

async function* framesOf(deps: TerminalLogDeps, place: LostTerminal, signal: AbortSignal) {
  for await (const { frame } of timed(deps, place, signal)) yield frame
}

/** The recording that a log makes: where a picture stands for bytes, it begins an empty screen. */
async function* asciicast(frames: AsyncIterable<TimedFrame>, title: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let begun: { at: number; size: string } | undefined
  for await (const { at, frame } of frames) {
    const size = "rows" in frame ? `${frame.cols}x${frame.rows}` : (begun?.size ?? "80x24")
    if (!begun) yield header(size, at, title)
    begun ??= { at, size }
    const sinceMs = Math.max(0, at - begun.at)
    if (size !== begun.size) yield line(sinceMs, "r", size)
    begun = { at: begun.at, size }
    const text = drawnBy(frame, decoder)
    if (text !== "") yield line(sinceMs, "o", text)
  }
  if (!begun) yield header("80x24", 0, title)
}

function drawnBy(frame: TerminalFrame, decoder: TextDecoder): string {
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
