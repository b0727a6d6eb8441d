import { hkdfSync } from "node:crypto"
import * as z from "zod"
import { launchesPartition } from "../../kernel/keys.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import { createSealer } from "../../storage/sealing.ts"
import { RunMessage } from "./messages.ts"

/** A run to execute, or a notice to an executor that another session is waiting for its slot. */
const LaunchNote = z.discriminatedUnion("type", [
  RunMessage,
  z.object({ type: z.literal("yield"), executor: z.string() }),
])
export type LaunchNote = z.infer<typeof LaunchNote>

/**
 * Messages to a runner that its launcher can't reach directly. They are stored with the session's records, and
 * encrypted because they contain an account's key.
 */
export interface LaunchMailbox {
  /** Stores a note. It replaces an earlier note about the same run. A `yield` replaces an earlier `yield`. */
  put(note: LaunchNote, options: { signal: AbortSignal }): Promise<void>
  /** Yields each note once. A note is removed when the reader asks for the next one. */
  drain(options: { signal: AbortSignal }): AsyncGenerator<LaunchNote>
}

/** Returns the key that encrypts data for the runners of one session. */
export function runnerKey(masterKey: Uint8Array, sid: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", masterKey, "", `switchyard/runner/${sid}`, 32))
}

const A_DAY_MS = 86_400_000

export function createLaunchMailbox(
  { records, now }: { records: Records; now: () => number },
  { sid, key }: { sid: string; key: Uint8Array },
): LaunchMailbox {
  const sealer = createSealer(key)
  const partition = launchesPartition(sid)

  /** Decrypts a note. Ignores notes that were encrypted with another key. */
  function read({ key, bytes }: StoredRecord): LaunchNote | undefined {
    try {
      return bytes && LaunchNote.parse(JSON.parse(sealer.open(sid, `launch/${key.sort}`, bytes)))
    } catch {
      return undefined
    }
  }

  return {
    async put(note, { signal }) {
      const sort = note.type === "run" ? note.run_id : note.type
      const bytes = sealer.seal(sid, `launch/${sort}`, JSON.stringify(note))
      const expiresAt = Math.ceil((now() + A_DAY_MS) / 1000)
      await records.put({ partition, sort }, { value: {}, bytes }, { expiresAt, signal })
    },
    async *drain({ signal }) {
      for await (const record of records.range(partition, { signal })) {
        const note = read(record)
        if (note) yield note
        // If a newer note has replaced this one, keep the newer note.
        await records.remove(record.key, { ifVersion: record.version, signal })
      }
    },
  }
}
