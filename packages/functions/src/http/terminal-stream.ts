import { announceViewer, type ViewerDeps } from "@switchyard/core/agents/runner/viewers"
import type { TerminalFrame } from "@switchyard/core/agents/terminals/schema"
import { attachTerminal } from "@switchyard/core/agents/terminals/terminal-log"
import { AppError } from "@switchyard/core/errors"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import type { EventFrame } from "@switchyard/core/work/runs/run-events"

/** Client that views a terminal. It has already received the output up to `offset`. */
export interface Viewer {
  client: string
  offset: number | undefined
}

/** Yields the frames for one viewer of a terminal, until the terminal ends. */
export async function* terminalFrames(
  deps: ViewerDeps,
  session: SessionHandle,
  pty: string,
  { client, offset }: Viewer,
  signal: AbortSignal,
): AsyncGenerator<EventFrame> {
  const release = announceViewer(deps, session, pty, client)
  try {
    for await (const frame of attachTerminal(deps, session.sid, pty, { offset, signal })) {
      yield frame.type === "heartbeat"
        ? "quiet"
        : { id: cursorAfter(frame), event: frame.type, data: { pty, ...frameData(frame) } }
    }
  } finally {
    release()
  }
}

/**
 * Returns the cursor after a frame. The last frame needs its own cursor, because it has the same offset as the last
 * bytes. A client whose cursor marks the end doesn't need to reconnect.
 */
function cursorAfter({ type, offset }: TerminalFrame): string {
  return type === "ended" ? `${offset}.ended` : String(offset)
}

/** Parses the cursor of a reconnecting viewer. */
export function parseTerminalCursor(text: string | undefined): { offset: number | undefined; ended: boolean } {
  if (text === undefined || text === "") return { offset: undefined, ended: false }
  const [, offset, ended] = /^(\d{1,15})(\.ended)?$/.exec(text) ?? []
  if (offset !== undefined) return { offset: Number(offset), ended: ended !== undefined }
  throw new AppError("validation_error", "The cursor must be the ID of a frame in this stream.", {
    cursor: text.slice(0, 100),
  })
}

/** Converts a frame to JSON. */
export function frameData(frame: TerminalFrame) {
  const { offset, after } = frame
  switch (frame.type) {
    case "snapshot":
      return { offset, after, rows: frame.rows, cols: frame.cols, screen: frame.screen }
    case "bytes":
      return { offset, after, data: Buffer.from(frame.bytes).toString("base64") }
    case "resized":
      return { offset, after, rows: frame.rows, cols: frame.cols }
    case "ended":
      return { offset, after, exit_code: frame.exitCode }
  }
}
