import { createGround } from "@switchyard/core/agents/terminals/safe-cut"
import type { TerminalEvent } from "@switchyard/core/agents/terminals/schema"
import type { TerminalWriter } from "@switchyard/core/agents/terminals/terminal-log"
import type { Clock } from "@switchyard/core/time"
import { createOutputBuffer } from "./output-buffer.ts"
import { createOutputLimit, RAW_LIMIT_BYTES } from "./output-limit.ts"
import { createRecording, type Recording } from "./recording.ts"
import { createScreen, SCROLLBACK_LINES } from "./screen.ts"

/** One terminal, from the side of whatever writes to it. Viewers read its log, and never ask this. */
export interface Terminal {
  readonly rows: number
  readonly cols: number
  /** What a program, or the product on its behalf, writes. Drawn at once, logged soon. */
  write(bytes: Uint8Array): void
  resize(rows: number, cols: number): void
  /** Somebody watches: from now on the log follows closely, beginning with a snapshot. */
  watched(client: string): void
  left(client: string): void
  /** What is on the screen, as text. */
  text(): string
  /**
   * Resolves once everything written so far is in the log, for an event that comes after it. Resolves at once where nobody
   * watches: who reads later has the place of each byte.
   */
  settled(): Promise<void>
  /** Logs all that is left and ends the log. Resolves to the key of the recording, if there is one. */
  close(exitCode: number | null): Promise<string | null>
}

export interface TerminalDeps {
  clock: Clock
  log: TerminalWriter
  /** How far the session's log is: the place of what is written now. */
  sessionSeq: () => number
  /** What a program is told that asks its terminal something. */
  answer: (text: string) => void
  /** Asks whoever writes to wait a little, and to go on. */
  pressure: (high: boolean) => void
  recording: { file: string; keep: (source: AsyncIterable<Uint8Array>) => Promise<string> } | null
  /** Hears why the log could not be written; the terminal goes on without it. */
  report: (error: unknown) => void
  signal: AbortSignal
}

/** No more than one flush in that time; what comes after a longer silence is logged at once. */
const WATCHED_MS = 40
const UNWATCHED_MS = 1000
const FLOOD_MS = 200
const SNAPSHOT_EVERY_BYTES = 256 * 1024

/** At most 20 KB of bytes each, or a picture: so many fit into a record, however little they can be compressed. */
const EVENTS_A_RECORD = 12

/** A sequence that is longer than that is given up: it will not be waited for. */
const SEQUENCE_LIMIT_BYTES = 64 * 1024

export function createTerminal(deps: TerminalDeps, size: { rows: number; cols: number; title: string }): Terminal {
  const { clock, log, signal } = deps
  const screen = createScreen(size, deps.answer)
  const ground = createGround()
  const backlog = createOutputBuffer()
  const budget = createOutputLimit(clock.monotonic)
  const recording = openRecording(deps, size)
  const watchers = new Set<string>()
  let changed = Promise.withResolvers<void>()
  let hurried = new AbortController()
  /** The flush that is under way, and the one after it. */
  let underWay = Promise.resolve()
  let flushed = Promise.withResolvers<void>()
  let closing = false
  let written = 0
  let safe = 0
  let snapshotAt = 0
  /** Bytes were dropped since the last flush. */
  let flooded = false
  let pauseMs = WATCHED_MS
  let snapshotWanted = true

  function write(bytes: Uint8Array): void {
    recording?.write(bytes)
    // Copied: whoever reads from a terminal may use the same memory again.
    backlog.bytes(Uint8Array.from(bytes), deps.sessionSeq())
    const whole = screen.write(bytes)
    written += bytes.length
    safe = ground.feed(bytes)
    if (written - safe > SEQUENCE_LIMIT_BYTES) safe = written
    // Viewers use the same emulator: what it fails at they get as a picture.
    if (!whole || backlog.sizeBytes > RAW_LIMIT_BYTES) flood()
    if ((recording?.waiting ?? 0) > PRESSURE_BYTES) deps.pressure(true)
    changed.resolve()
  }

  /** From here on pictures stand for the bytes. */
  function flood(): void {
    backlog.drop(safe)
    snapshotWanted = true
    flooded = true
  }

  function hurry(): void {
    changed.resolve()
    hurried.abort()
  }

  async function flush(last: boolean): Promise<void> {
    const end = () => (last ? written : safe)
    const isWanted = () => snapshotWanted || last || counted - snapshotAt >= SNAPSHOT_EVERY_BYTES
    let counted = 0
    // A snapshot is of now: with one, the log must have come as far, and what comes while that is counted counts, too.
    do {
      const upTo = end()
      if (!flooded && !(await budget.allows(backlog.peek(upTo, counted)))) flood()
      counted = upTo
    } while (!flooded && isWanted() && counted < end())
    const calm = !flooded
    flooded = false
    const wanted = !calm || isWanted()
    const upTo = wanted ? end() : counted
    if (!calm) backlog.drop(upTo)
    const events = backlog.take(upTo)
    if (wanted && safe >= snapshotAt) events.push(snapshot(calm))
    pauseMs = !calm ? FLOOD_MS : watchers.size > 0 ? WATCHED_MS : UNWATCHED_MS
    for (let from = 0; from < events.length; from += EVENTS_A_RECORD) {
      await log.append(events.slice(from, from + EVENTS_A_RECORD), { signal })
    }
  }

  function snapshot(calm: boolean): TerminalEvent {
    snapshotWanted = !calm
    snapshotAt = safe
    const { rows, cols } = screen
    return {
      type: "terminal_snapshot",
      offset: safe,
      rows,
      cols,
      screen: screen.serialize(calm ? SCROLLBACK_LINES : 0),
      after: backlog.after,
    }
  }

  /** Flushes when something changed, but not before the last flush is a beat ago. */
  async function follow(): Promise<void> {
    while (!closing) {
      changed = Promise.withResolvers()
      const { promise, resolve } = flushed
      flushed = Promise.withResolvers()
      underWay = promise
      const flushedAt = clock.monotonic()
      await flush(false).finally(resolve)
      // Pictures stand for what is left out only for a moment.
      if (!snapshotWanted) await changed.promise
      await pause(flushedAt + pauseMs - clock.monotonic())
      signal.throwIfAborted()
    }
  }

  async function pause(ms: number): Promise<void> {
    const ended = AbortSignal.any([hurried.signal, signal])
    if (ms > 0) await clock.sleep(ms, { signal: ended }).catch(() => undefined)
    hurried = new AbortController()
  }

  signal.addEventListener("abort", hurry, { once: true })
  const following = follow()
    .catch((error) => {
      if (!signal.aborted) deps.report(error)
    })
    .finally(() => {
      closing = true
      flushed.resolve()
    })
  recording?.onDrain(() => deps.pressure(false))

  return {
    get rows() {
      return screen.rows
    },
    get cols() {
      return screen.cols
    },
    write,
    resize(rows, cols) {
      if (rows === screen.rows && cols === screen.cols) return
      screen.resize(rows, cols)
      backlog.resized(rows, cols)
      recording?.resized(rows, cols)
      hurry()
    },
    watched(client) {
      watchers.add(client)
      snapshotWanted = true
      hurry()
    },
    left: (client) => void watchers.delete(client),
    text: () => screen.text(),
    async settled() {
      await underWay
      if (closing || watchers.size === 0 || backlog.sizeBytes === 0) return
      if (!flooded && pauseMs < FLOOD_MS) hurry()
      await flushed.promise
    },
    async close(exitCode) {
      closing = true
      hurry()
      await following
      try {
        await flush(true)
        await log.append([{ type: "terminal_ended", offset: written, exit_code: exitCode }], { signal })
        return await keep(recording, deps)
      } finally {
        signal.removeEventListener("abort", hurry)
        screen.dispose()
      }
    },
  }
}

const PRESSURE_BYTES = 1024 * 1024

function openRecording({ recording, clock }: TerminalDeps, size: { rows: number; cols: number; title: string }) {
  return recording && createRecording(recording.file, { ...size, beganAtMs: clock.now() }, clock.monotonic)
}

async function keep(recording: Recording | null, deps: TerminalDeps): Promise<string | null> {
  let key: string | null = null
  await recording?.close(async (source) => {
    key = (await deps.recording?.keep(source)) ?? null
  })
  return key
}
