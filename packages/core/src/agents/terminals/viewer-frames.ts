import type { TerminalEvent, TerminalFrame } from "./schema.ts"

/**
 * Converts events in a terminal's log to frames for one viewer at `position`, which is null for a new viewer. Does no
 * I/O. Never sends a byte twice. The next snapshot replaces missing bytes.
 */
export function createViewerFrames(position: number | null): { framesFor(event: TerminalEvent): TerminalFrame[] } {
  let at = position
  let after = 0
  /**
   * True for a viewer that has just reconnected. If it reconnects exactly at a snapshot, it also gets the snapshot,
   * because it may have missed a resize just before it.
   */
  let reconnected = position !== null

  function framesFor(event: TerminalEvent): TerminalFrame[] {
    const frames = framesOf(event)
    reconnected = false
    return frames
  }

  function framesOf(event: TerminalEvent): TerminalFrame[] {
    switch (event.type) {
      case "terminal_snapshot": {
        after = event.after ?? after
        if (at !== null && (reconnected ? event.offset < at : event.offset <= at)) return []
        at = event.offset
        const { offset, rows, cols, screen } = event
        return [{ type: "snapshot", offset, rows, cols, screen, after }]
      }
      case "terminal_bytes":
        after = event.after
        return bytesFrom(event)
      case "terminal_resized": {
        // The viewer has already applied the sizes before its offset. After a gap, the snapshot that fills the gap
        // contains the size.
        if (at !== event.offset) return []
        return [{ type: "resized", offset: at, rows: event.rows, cols: event.cols, after }]
      }
      case "terminal_ended":
        return [{ type: "ended", offset: event.offset, exitCode: event.exit_code, after }]
    }
  }

  function bytesFrom(event: Extract<TerminalEvent, { type: "terminal_bytes" }>): TerminalFrame[] {
    if (at === null || event.offset > at) return []
    const fresh = Buffer.from(event.bytes, "base64").subarray(at - event.offset)
    if (fresh.length === 0) return []
    at += fresh.length
    return [{ type: "bytes", offset: at, bytes: fresh, after: event.after }]
  }

  return { framesFor }
}
