import { createSequenceTracker } from "@switchyard/core/agents/terminals/safe-cut"
import type { TerminalEvent } from "@switchyard/core/agents/terminals/schema"
import { createOutputBuffer } from "./output-buffer.ts"
import { type OutputLimit, RAW_LIMIT_BYTES } from "./output-limit.ts"
import type { Screen } from "./screen.ts"

/** Output that isn't in the terminal's log yet. Decides which bytes are logged, and when a snapshot replaces them. */
export interface PendingOutput {
  readonly sizeBytes: number
  /** Total number of bytes that have been written. */
  readonly written: number
  /** True if bytes have been dropped since the last call to `take`. */
  readonly isFlooded: boolean
  /** True if the next call to `take` ends with a snapshot. */
  readonly isSnapshotDue: boolean
  /**
   * Adds output. `after` is the session event that precedes it. `isDrawn` is true if the screen shows all of the
   * output.
   */
  write(bytes: Uint8Array, after: number, isDrawn: boolean): void
  resized(rows: number, cols: number): void
  requestSnapshot(): void
  /**
   * Returns the events that are due. If `isLast` is true, they include an unfinished escape sequence. `isCalm` is false
   * if bytes have been dropped.
   */
  take(isLast: boolean): Promise<{ events: TerminalEvent[]; isCalm: boolean }>
}

const SNAPSHOT_EVERY_BYTES = 256 * 1024

/** Maximum length of an escape sequence. Longer sequences are cut, because their end may never arrive. */
const SEQUENCE_LIMIT_BYTES = 64 * 1024

export function createPendingOutput(
  screen: Pick<Screen, "rows" | "cols" | "serialize">,
  limit: OutputLimit,
  scrollbackLines: number,
): PendingOutput {
  const ground = createSequenceTracker()
  const buffer = createOutputBuffer()
  let written = 0
  /** End of the last complete escape sequence. The log can be cut, and a snapshot taken, only there. */
  let safe = 0
  let snapshotAt = 0
  let isFlooded = false
  let isSnapshotDue = true

  function flood(): void {
    buffer.drop(safe)
    isSnapshotDue = true
    isFlooded = true
  }

  async function take(isLast: boolean): Promise<{ events: TerminalEvent[]; isCalm: boolean }> {
    const end = () => (isLast ? written : safe)
    let counted = 0
    const needsSnapshot = () => isSnapshotDue || isLast || counted - snapshotAt >= SNAPSHOT_EVERY_BYTES
    // A snapshot shows the current screen, so the log must be complete up to that point. Include output that arrives
    // during the count.
    do {
      const upTo = end()
      if (!isFlooded && !(await limit.allows(buffer.peek(upTo, counted)))) flood()
      counted = upTo
    } while (!isFlooded && needsSnapshot() && counted < end())
    const isCalm = !isFlooded
    isFlooded = false
    const hasSnapshot = !isCalm || needsSnapshot()
    const upTo = hasSnapshot ? end() : counted
    if (!isCalm) buffer.drop(upTo)
    const events = buffer.take(upTo)
    if (hasSnapshot && safe >= snapshotAt) events.push(snapshot(isCalm))
    return { events, isCalm }
  }

  function snapshot(isCalm: boolean): TerminalEvent {
    // A snapshot taken during a burst of output lacks the scrollback, so it is replaced soon afterwards.
    isSnapshotDue = !isCalm
    snapshotAt = safe
    const { rows, cols } = screen
    return {
      type: "terminal_snapshot",
      offset: safe,
      rows,
      cols,
      screen: screen.serialize(isCalm ? scrollbackLines : 0),
      after: buffer.after,
    }
  }

  return {
    get sizeBytes() {
      return buffer.sizeBytes
    },
    get written() {
      return written
    },
    get isFlooded() {
      return isFlooded
    },
    get isSnapshotDue() {
      return isSnapshotDue
    },
    write(bytes, after, isDrawn) {
      // Copy the bytes, because the reader of a pseudo-terminal reuses its buffers.
      buffer.bytes(Uint8Array.from(bytes), after)
      written += bytes.length
      safe = ground.feed(bytes)
      if (written - safe > SEQUENCE_LIMIT_BYTES) safe = written
      // Viewers use the same emulator, so bytes that make it fail here would also make it fail there. Replace them with
      // a snapshot.
      if (!isDrawn || buffer.sizeBytes > RAW_LIMIT_BYTES) flood()
    },
    resized: buffer.resized,
    requestSnapshot() {
      isSnapshotDue = true
    },
    take,
  }
}
