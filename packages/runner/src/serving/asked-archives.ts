import { createReadStream, createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { createZstdCompress, createZstdDecompress } from "node:zlib"
import {
  ArchiveAnswer,
  type ArchiveRequest,
  type RunnerTicket,
} from "@switchyard/core/agents/runner/credentials-schema"
import { MAX_ARCHIVE_BYTES } from "@switchyard/core/files/worktrees/stored-archives"
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
  /** Maximum size of a stored archive. A larger archive isn't uploaded completely. */
  maxBytes?: number
}

/** Maximum size of an unpacked archive. A small download can expand to any size. */
const MAX_UNPACKED_BYTES = 4 * 1024 ** 3
const KEEP_WITHIN_MS = 10 * 60_000
const REMOVE_WITHIN_MS = 30_000

/**
 * Creates the client for archives of a runner that can only access its own session. The function decides which owner and
 * repository they belong to.
 */
export function createAskedArchives(deps: Deps) {
  const { ask, blobs, sid, executor, ticket, system, maxBytes = MAX_ARCHIVE_BYTES } = deps
  return ({ runId: run_id, incarnation, report }: ArchiveRun): Archives => {
    const request = async (act: "find" | "keep", name: string) =>
      ArchiveAnswer.parse(await ask({ ticket: ticket(), executor, archive: { act, run_id, name } })).archive

    async function download(name: string, file: string, signal: AbortSignal): Promise<boolean> {
      const { url } = await request("find", name)
      if (url === null) return false
      const { ok, body, status } = await fetch(url, { signal })
      if (!ok || !body) throw new Error(`The archive ${name} couldn't be downloaded: ${status}.`)
      await pipeline(
        body,
        createZstdDecompress(),
        limitedTo(MAX_UNPACKED_BYTES),
        createWriteStream(file, { mode: 0o600 }),
        {
          signal,
        },
      )
      return true
    }

    async function upload(name: string, file: string): Promise<void> {
      const signal = AbortSignal.timeout(KEEP_WITHIN_MS)
      const key = preparedBlob(sid, incarnation, name)
      const store = (packed: AsyncIterable<Uint8Array>) => blobs.put(key, packed, { signal })
      try {
        await pipeline(createReadStream(file), createZstdCompress(), limitedTo(maxBytes), store)
        await request("keep", name)
      } finally {
        await blobs.remove(key, { signal: AbortSignal.timeout(REMOVE_WITHIN_MS) })
      }
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

/** Returns a step of a pipeline that throws if there are more bytes than this. */
function limitedTo(maxBytes: number) {
  return async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let left = maxBytes
    for await (const chunk of chunks) {
      left -= chunk.length
      if (left < 0) throw new Error("The archive is too large.")
      yield chunk
    }
  }
}
