import type { TerminalWriter } from "@switchyard/core/agents/terminals/terminal-log"
import type { Clock } from "@switchyard/core/time"
import { createOutputLimit } from "./output-limit.ts"
import { createPendingOutput, type PendingOutput } from "./pending-output.ts"
import { createRecording, type Recording } from "./recording.ts"
import { createScreen, SCROLLBACK_LINES } from "./screen.ts"

/**
 * A terminal, from the point of view of its program. Viewers don't use this interface, because they read the terminal's
 * log.
 */
export interface Terminal {
  readonly rows: number
  readonly cols: number
  /**
   * Draws output immediately, and logs it soon. The output comes from the program, or is written on the program's
   * behalf.
   */
  write(bytes: Uint8Array): void
  resize(rows: number, cols: number): void
  /** Adds a viewer. From then on, output is logged promptly, and the log continues with a snapshot. */
  watched(client: string): void
  left(client: string): void
  /** Returns the text on the screen. */
  text(): string
  /**
   * Waits until all output so far is logged, so that an event can be appended after it. Returns immediately if there is
   * no viewer, because later readers know the position of each byte.
   */
  settled(): Promise<void>
  /** Logs the remaining output and ends the log. Returns the key of the recording if there is one. */
  close(exitCode: number | null): Promise<string | null>
}

export interface TerminalDeps {
  clock: Clock
  log: TerminalWriter
  /** Returns the head of the session log, which new output follows. */
  sessionSeq: () => number
  /** Passes on the emulator's reply to a program that has queried its terminal. */
  answer: (text: string) => void
  /** Pauses the program if `high` is true. Otherwise, resumes it. */
  pressure: (high: boolean) => void
  recording: { file: string; keep: (source: AsyncIterable<Uint8Array>) => Promise<string> } | null
  /** Receives the error if the log can't be written. The terminal then continues without a log. */
  report: (error: unknown) => void
  signal: AbortSignal
}

/** Minimum time between two flushes. After a longer pause, output is logged immediately. */
const WATCHED_MS = 40
const UNWATCHED_MS = 1000
const FLOOD_MS = 200

/**
 * Maximum number of events per record. An event contains a snapshot, or at most 20 KB of bytes. This many events fit
 * into a record even if they don't compress.
 */
const EVENTS_A_RECORD = 12

const PRESSURE_BYTES = 1024 * 1024

export function createTerminal(deps: TerminalDeps, size: { rows: number; cols: number; title: string }): Terminal {
  const { signal } = deps
  const screen = createScreen(size, deps.answer)
  const output = createPendingOutput(screen, createOutputLimit(deps.clock.monotonic), SCROLLBACK_LINES)
  const recording = openRecording(deps, size)
  const viewers = new Set<string>()
  const flusher = createFlusher(deps, output, () => viewers.size > 0)
  recording?.onDrain(() => deps.pressure(false))

  return {
    get rows() {
      return screen.rows
    },
    get cols() {
      return screen.cols
    },
    write(bytes) {
      recording?.write(bytes)
      output.write(bytes, deps.sessionSeq(), screen.write(bytes))
      if ((recording?.waiting ?? 0) > PRESSURE_BYTES) deps.pressure(true)
      flusher.wake()
    },
    resize(rows, cols) {
      if (rows === screen.rows && cols === screen.cols) return
      screen.resize(rows, cols)
      output.resized(rows, cols)
      recording?.resized(rows, cols)
      flusher.hurry()
    },
    watched(client) {
      viewers.add(client)
      output.requestSnapshot()
      flusher.hurry()
    },
    left: (client) => void viewers.delete(client),
    text: () => screen.text(),
    settled: flusher.settled,
    async close(exitCode) {
      await flusher.stop()
      try {
        await flusher.flush(true)
        await deps.log.append([{ type: "terminal_ended", offset: output.written, exit_code: exitCode }], { signal })
        return await keep(recording, deps)
      } finally {
        screen.dispose()
      }
    },
  }
}

/** Appends pending output to the log soon, but no more often than viewers need. */
interface Flusher {
  /** Flushes as soon as the minimum time since the last flush has passed. */
  wake(): void
  /** Flushes without waiting for the minimum time. */
  hurry(): void
  flush(isLast: boolean): Promise<void>
  settled(): Promise<void>
  stop(): Promise<void>
}

function createFlusher({ clock, log, report, signal }: TerminalDeps, output: PendingOutput, isWatched: () => boolean) {
  let changed = Promise.withResolvers<void>()
  let hurried = new AbortController()
  /** Promise for the current flush. `flushed` is the promise for the next flush. */
  let underWay = Promise.resolve()
  let flushed = Promise.withResolvers<void>()
  let isStopped = false
  let pauseMs = WATCHED_MS

  function hurry(): void {
    changed.resolve()
    hurried.abort()
  }

  async function flush(isLast: boolean): Promise<void> {
    const { events, isCalm } = await output.take(isLast)
    pauseMs = !isCalm ? FLOOD_MS : isWatched() ? WATCHED_MS : UNWATCHED_MS
    for (let from = 0; from < events.length; from += EVENTS_A_RECORD) {
      await log.append(events.slice(from, from + EVENTS_A_RECORD), { signal })
    }
  }

  async function follow(): Promise<void> {
    while (!isStopped) {
      changed = Promise.withResolvers()
      const { promise, resolve } = flushed
      flushed = Promise.withResolvers()
      underWay = promise
      const flushedAt = clock.monotonic()
      await flush(false).finally(resolve)
      // A snapshot taken during a burst of output lacks the scrollback, so it is replaced soon afterwards.
      if (!output.isSnapshotDue) await changed.promise
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
      if (!signal.aborted) report(error)
    })
    .finally(() => {
      isStopped = true
      flushed.resolve()
    })

  const flusher: Flusher = {
    wake: () => changed.resolve(),
    hurry,
    flush,
    async settled() {
      await underWay
      if (isStopped || !isWatched() || output.sizeBytes === 0) return
      if (!output.isFlooded && pauseMs < FLOOD_MS) hurry()
      await flushed.promise
    },
    async stop() {
      isStopped = true
      hurry()
      await following
      signal.removeEventListener("abort", hurry)
    },
  }
  return flusher
}

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
