import { createReadStream, createWriteStream } from "node:fs"
import { rm } from "node:fs/promises"
import { finished } from "node:stream/promises"
import { castHeader, castLine } from "@switchyard/core/agents/terminals/asciicast"

/** Records a terminal's output in asciicast format (version 2). */
export interface Recording {
  write(bytes: Uint8Array): void
  resized(rows: number, cols: number): void
  /** Number of bytes that haven't been written to disk yet. */
  readonly waiting: number
  /** Calls the listener whenever all data has been written to disk. */
  onDrain(listener: () => void): void
  /** Ends the recording, passes its content to `keep`, and removes its file. */
  close(keep: (source: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void>
}

export function createRecording(
  file: string,
  about: { rows: number; cols: number; beganAtMs: number; title: string },
  monotonic: () => number,
): Recording {
  const stream = createWriteStream(file, { mode: 0o600, highWaterMark: HIGH_WATER_BYTES })
  // A character that is split between two reads is completed in the next line.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const startedAt = monotonic()
  let failed = false
  // The work is more important than its recording, so if the disk is full, only the recording ends.
  stream.on("error", () => {
    failed = true
  })

  function line(kind: "o" | "r", text: string): void {
    if (text === "" || failed) return
    stream.write(castLine(monotonic() - startedAt, kind, text))
  }

  stream.write(castHeader(about))
  return {
    write: (bytes) => line("o", decoder.decode(bytes, { stream: true })),
    resized: (rows, cols) => line("r", `${cols}x${rows}`),
    get waiting() {
      return failed ? 0 : stream.writableLength
    },
    onDrain: (listener) => void stream.on("drain", listener),
    async close(keep) {
      try {
        line("o", decoder.decode())
        stream.end()
        if (!failed) await finished(stream)
        if (!failed) await keep(createReadStream(file))
      } finally {
        await rm(file, { force: true })
      }
    },
  }
}

const HIGH_WATER_BYTES = 256 * 1024
