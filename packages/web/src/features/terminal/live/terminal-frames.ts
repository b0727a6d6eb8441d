import { openStream, reconnectDelayMs, type SseDeps } from "../../../session/stream/sse.ts"

/** The frames that a viewer draws, in order. */
export type TerminalFrame =
  | { type: "snapshot"; rows: number; cols: number; screen: string }
  | { type: "bytes"; data: Uint8Array }
  | { type: "resized"; rows: number; cols: number }
  | { type: "ended"; exitCode: number | null }
  | { type: "connection"; state: "live" | "lost" | "refused" }

interface Sent {
  offset: number
  rows: number
  cols: number
  screen: string
  data: string
  exit_code: number | null
}

/**
 * Streams a terminal from its newest snapshot on. Reconnects as often as needed, from the last offset. `url` has a
 * query already.
 */
export async function* terminalFrames(
  deps: SseDeps,
  url: string,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<TerminalFrame> {
  let offset: number | null = null
  let failures = 0
  while (!signal.aborted) {
    const onHeard = () => {
      failures = 0
    }
    try {
      const from = offset === null ? url : `${url}&offset=${offset}`
      for await (const update of openStream(deps, from, { onHeard, signal })) {
        if (update.type === "refused") return yield { type: "connection", state: "refused" }
        if (update.type === "opened") yield { type: "connection", state: "live" }
        if (update.type !== "frame") continue
        const sent: Sent = JSON.parse(update.frame.data)
        const frame = frameOf(update.frame.event, sent)
        if (!frame) continue
        offset = sent.offset
        yield frame
        if (frame.type === "ended") return
      }
    } catch {
      if (signal.aborted) return
      failures += 1
      yield { type: "connection", state: "lost" }
    }
    await deps.pause(reconnectDelayMs(failures, deps.random), { signal })
  }
}

function frameOf(event: string | undefined, sent: Sent): TerminalFrame | undefined {
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
