import { createReadStream, createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { createZstdCompress, createZstdDecompress } from "node:zlib"
import {
  ArchiveAnswer,
  type ArchiveRequest,
  type RunnerTicket,
} from "@switchyard/core/agents/runner/credentials-schema"
import { preparedBlob } from "@switchyard/core/kernel/keys"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { ArchiveRun, Archives } from "../project/setup/archives.ts"

interface Deps {
  /** Sends a request to the function and returns the unvalidated reply. */
  ask: (request: ArchiveRequest) => Promise<unknown>
  blobs: Blobs
  sid: string
  executor: string
  ticket: () => RunnerTicket
  system: string
}

/** Maximum size of an unpacked archive. A small download can expand to any size. */
const MAX_BYTES = 4 * 1024 ** 3
const KEEP_WITHIN_MS = 10 * 60_000

/**
 * Creates the client for archives of a runner that can only access its own session. The function decides which owner and
 * repository they belong to.
 */
export function createAskedArchives({ ask, blobs, sid, executor, ticket, system }: Deps) {
  return ({ runId: run_id, incarnation, report }: ArchiveRun): Archives => {
    const request = async (act: "find" | "keep", name: string) =>
      ArchiveAnswer.parse(await ask({ ticket: ticket(), executor, archive: { act, run_id, name } })).archive

    async function download(name: string, file: string, signal: AbortSignal): Promise<boolean> {
      const { url } = await request("find", name)
      if (url === null) return false
      const { ok, body, status } = await fetch(url, { signal })
      if (!ok || !body) throw new Error(`The archive ${name} couldn't be downloaded: ${status}.`)
      await pipeline(body, createZstdDecompress(), limited, createWriteStream(file, { mode: 0o600 }), { signal })
      return true
    }

    async function upload(name: string, file: string): Promise<void> {
      const signal = AbortSignal.timeout(KEEP_WITHIN_MS)
      const key = preparedBlob(sid, incarnation, name)
      const packed = createZstdCompress()
      await Promise.all([pipeline(createReadStream(file), packed), blobs.put(key, packed, { signal })])
      await request("keep", name)
      await blobs.remove(key, { signal })
    }

    return {
      system,
      fetch: (name, file, { signal }) =>
        download(name, file, signal).catch((error) => {
          signal.throwIfAborted()
          report(error)
          return false
        }),
      keep: (name, file) => upload(name, file).catch(report),
    }
  }
}

async function* limited(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = MAX_BYTES
  for await (const chunk of chunks) {
    left -= chunk.length
    if (left < 0) throw new Error("The archive is too large.")
    yield chunk
  }
}
