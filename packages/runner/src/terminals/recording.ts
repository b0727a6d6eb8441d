import { createReadStream, createWriteStream } from "node:fs"
import { rm } from "node:fs/promises"
import { finished } from "node:stream/promises"
import { castHeader, castLine } from "@switchyard/core/agents/terminals/asciicast"

/** Everything that a terminal showed, with times, as an asciicast (version 2) that players know. */
export interface Recording {
  write(bytes: Uint8Array): void
  resized(rows: number, cols: number): void
  /** Bytes that are not on the disk yet. */
  readonly waiting: number
  /** Calls back once nothing waits any more. */
  onDrain(listener: () => void): void
  /** Ends the recording, hands it over, and removes the file. */
  close(keep: (source: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void>
}

export function createRecording(
  file: string,
  about: { rows: number; cols: number; beganAtMs: number; title: string },
  monotonic: () => number,
): Recording {
  const stream = createWriteStream(file, { mode: 0o600, highWaterMark: HIGH_WATER_BYTES })
  // A character that was torn by a read is whole again in the next line.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const startedAt = monotonic()
  let failed = false
  // A recording is worth less than the work that it records: on a full disk it just ends.
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
