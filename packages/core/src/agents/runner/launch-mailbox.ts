import { hkdfSync } from "node:crypto"
import { launchesPartition } from "../../kernel/keys.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import { createSealer } from "../../storage/sealing.ts"
import { ToRunner } from "./messages.ts"

type RunMessage = Extract<ToRunner, { type: "run" }>

/**
 * Launches for a runner that its launcher can't reach: notes among its session's records, sealed, for
 * they hold the key of an account.
 */
export interface LaunchMailbox {
  /** A later note of the same run takes the place of an older one. */
  put(message: RunMessage, options: { signal: AbortSignal }): Promise<void>
  /** The notes, each once: one is removed when the reader asks for the next. */
  drain(options: { signal: AbortSignal }): AsyncGenerator<RunMessage>
}

/** The key to what is sealed for one session's runners, and to nothing else. */
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

  /** A note that was sealed with another key is nobody's. */
  function read({ key, bytes }: StoredRecord): RunMessage | undefined {
    try {
      const message = bytes && ToRunner.parse(JSON.parse(sealer.open(sid, `launch/${key.sort}`, bytes)))
      return message?.type === "run" ? message : undefined
    } catch {
      return undefined
    }
  }

  return {
    async put(message, { signal }) {
      const sort = message.run_id
      const bytes = sealer.seal(sid, `launch/${sort}`, JSON.stringify(message))
      const expiresAt = Math.ceil((now() + A_DAY_MS) / 1000)
      await records.put({ partition, sort }, { value: {}, bytes }, { expiresAt, signal })
    },
    async *drain({ signal }) {
      for await (const record of records.range(partition, { signal })) {
        const message = read(record)
        if (message) yield message
        // One that was left meanwhile stays.
        await records.remove(record.key, { ifVersion: record.version, signal })
      }
    },
  }
}
