import { sessionKey } from "@switchyard/core/ids"
import type { Stores } from "@switchyard/functions/local/local-core"

/** Called before each write to a session. May delay the write, or throw to fail it. */
export type OnWrite = (session: string, write: { nth: number; port: "records" | "blobs"; key: string }) => Promise<void>

/** Wraps stores to report every write to these sessions of owner `local`, counted per session from 1. */
export function tellingStores({ records, blobs }: Stores, sessions: string[], onWrite: OnWrite): Stores {
  const names = new Map(sessions.map((session) => [sessionKey("local", session), session]))
  const counts = new Map<string, number>()

  async function tell(port: "records" | "blobs", key: string): Promise<void> {
    const session = names.get(key.split("/")[1] ?? "")
    if (!key.startsWith("s/") || session === undefined) return
    const nth = (counts.get(session) ?? 0) + 1
    counts.set(session, nth)
    await onWrite(session, { nth, port, key })
  }

  return {
    records: {
      ...records,
      async put(key, ...rest) {
        await tell("records", `${key.partition}/${key.sort}`)
        return records.put(key, ...rest)
      },
      async remove(key, ...rest) {
        await tell("records", `${key.partition}/${key.sort}`)
        return records.remove(key, ...rest)
      },
    },
    blobs: {
      ...blobs,
      async put(key, ...rest) {
        await tell("blobs", key)
        return blobs.put(key, ...rest)
      },
    },
  }
}
