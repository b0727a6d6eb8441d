import type { Frame, Source } from "../../../session/connection/source.ts"
import type { Streams } from "../../../session/connection/tab-streams.ts"

/** The frames that a viewer draws, in order. */
export type TerminalFrame =
  | { type: "snapshot"; rows: number; cols: number; screen: string }
  | { type: "bytes"; data: Uint8Array }
  | { type: "resized"; rows: number; cols: number }
  | { type: "ended"; exitCode: number | null }
  | { type: "connection"; state: "live" | "lost" | "refused" }

interface Sent {
  rows: number
  cols: number
  screen: string
  data: string
  exit_code: number | null
}

/** Streams a terminal from its latest snapshot until it ends. */
export async function* terminalFrames(
  streams: Pick<Streams, "open">,
  source: Source,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<TerminalFrame> {
  for await (const update of streams.open(source, { signal })) {
    if (update.type === "refused") return yield { type: "connection", state: "refused" }
    if (update.type === "opened") yield { type: "connection", state: "live" }
    if (update.type === "lost") yield { type: "connection", state: "lost" }
    if (update.type !== "frame") continue
    const frame = frameOf(update.frame)
    if (!frame) continue
    yield frame
    if (frame.type === "ended") return
  }
}

function frameOf({ event, data }: Frame): TerminalFrame | undefined {
  const sent = data as Sent
  switch (event) {
    case "snapshot":
      return { type: "snapshot", rows: sent.rows, cols: sent.cols, screen: sent.screen }
    case "bytes":
      return { type: "bytes", data: Uint8Array.from(atob(sent.data), (letter) => letter.charCodeAt(0)) }
    case "resized":
      return { type: "resized", rows: sent.rows, cols: sent.cols }
    case "ended":
      return { type: "ended", exitCode: sent.exit_code }
    default:
      return undefined
  }
}
