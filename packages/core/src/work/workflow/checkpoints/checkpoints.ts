import { createHash } from "node:crypto"
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint"
import { backoffMs, retry } from "../../../concurrency/retry.ts"
import { AppError, isAppError } from "../../../errors.ts"
import { checkpointPartition, sessionBlobs } from "../../../kernel/keys.ts"
import { type Blobs, readAll } from "../../../storage/blobs.ts"
import type { RecordBody, Records, StoredRecord } from "../../../storage/records.ts"
import { deflate, inflate } from "../../../text/deflate.ts"
import type { Clock } from "../../../time.ts"

export interface CheckpointStoreDeps {
  records: Records
  blobs: Blobs
  clock: Clock
  partition: string
  /** Blob prefix for values that are too large for a record. Ends with a slash. */
  blobPrefix: string
  signal?: AbortSignal
}

export interface CheckpointRef {
  thread: string
  ns: string
  id: string
}

/** Returns the location of a run's checkpoints. Checkpoints only cache the run's progress, which is also in its log. */
export function checkpointsOf(sid: string, runId: string): { partition: string; blobPrefix: string } {
  return { partition: checkpointPartition(sid, runId), blobPrefix: `${sessionBlobs(sid)}checkpoints/${runId}/` }
}

/**
 * Deletes a run's checkpoints. This function is separate from the checkpoint saver, so that the sweep needn't load
 * LangGraph.
 */
export async function deleteCheckpoints(
  { records, blobs }: { records: Records; blobs: Blobs },
  sid: string,
  runId: string,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const { partition, blobPrefix } = checkpointsOf(sid, runId)
  for await (const { key } of records.range(partition, { signal })) await records.remove(key, { signal })
  await blobs.remove(blobPrefix, { signal })
}

const RECORD_BYTES = 300 * 1024
const MAX_ATTEMPTS = 6

/**
 * Creates a store of checkpoints by `CheckpointRef`. A checkpoint can also have named values, which `merge` changes.
 */
export function createCheckpointStore(deps: CheckpointStoreDeps, serde: SerializerProtocol) {
  const { records, blobs, clock, partition, blobPrefix, signal } = deps

  const withRetries = <T>(call: () => Promise<T>): Promise<T> => {
    const delayMs = (error: unknown, attempt: number) =>
      isAppError(error, "storage_unavailable") && attempt + 1 < MAX_ATTEMPTS ? backoffMs(attempt, 50, 2000) : undefined
    return retry(call, { delayMs, clock, signal })
  }

  async function encode(sort: string, value: unknown): Promise<RecordBody> {
    const [type, text] = await serde.dumpsTyped(value)
    const bytes = await deflate(text)
    if (bytes.length <= RECORD_BYTES) return { value: { type }, bytes }
    const blob = blobKey(sort)
    await withRetries(() => blobs.put(blob, bytes, { signal }))
    return { value: { type, blob } }
  }

  async function decode<T>({ value, bytes }: StoredRecord): Promise<T> {
    const packed = typeof value.blob === "string" ? await readBlob(value.blob) : bytes
    const text = await inflate(packed ?? Buffer.alloc(0))
    return serde.loadsTyped(String(value.type), text)
  }

  async function readBlob(key: string): Promise<Buffer> {
    const source = await withRetries(() => blobs.get(key, { signal }))
    if (!source) throw new AppError("internal_error", "The checkpoint is incomplete.", { key })
    return readAll(source)
  }

  function blobKey(sort: string): string {
    const [thread] = sort.split("/")
    return `${blobPrefix}${thread}/${createHash("sha256").update(sort).digest("hex")}`
  }

  /**
   * Yields references to checkpoints, newest first within a thread and namespace. Without arguments, covers all threads
   * and namespaces.
   */
  async function* refs(thread?: string, ns?: string): AsyncGenerator<CheckpointRef> {
    const within = thread === undefined ? {} : keysUnder(ns === undefined ? [thread, "c"] : [thread, "c", ns])
    for await (const { key } of records.range(partition, { ...within, reverse: true, signal })) {
      const [inThread = "", kind, inNs = "", id = ""] = key.sort.split("/").map(decodeURIComponent)
      if (kind === "c" && (ns === undefined || ns === inNs)) yield { thread: inThread, ns: inNs, id }
    }
  }

  return {
    async read<T>(ref: CheckpointRef): Promise<T | undefined> {
      const record = await withRetries(() => records.get({ partition, sort: checkpointSort(ref) }, { signal }))
      return record && decode<T>(record)
    },
    async write(ref: CheckpointRef, value: unknown): Promise<void> {
      const sort = checkpointSort(ref)
      const body = await encode(sort, value)
      await withRetries(() => records.put({ partition, sort }, body, { signal }))
    },
    refs,
    async newest(thread: string, ns: string): Promise<string | undefined> {
      for await (const { id } of refs(thread, ns)) return id
      return undefined
    },
    /** Changes a named value of a checkpoint. If another write comes first, calls `change` again with the new value. */
    async merge<T>(ref: CheckpointRef, name: string, change: (current: T | undefined) => T): Promise<void> {
      const sort = sortKey(ref.thread, "w", ref.ns, ref.id, name)
      for (;;) {
        const current = await withRetries(() => records.get({ partition, sort }, { signal }))
        const body = await encode(sort, change(current && (await decode<T>(current))))
        const condition = current ? { ifVersion: current.version } : { ifAbsent: true as const }
        const version = await withRetries(() => records.put({ partition, sort }, body, { ...condition, signal }))
        if (version !== undefined) return
      }
    },
    async *merged<T>({ thread, ns, id }: CheckpointRef): AsyncGenerator<{ name: string; value: T }> {
      for await (const record of records.range(partition, { ...keysUnder([thread, "w", ns, id]), signal })) {
        const name = decodeURIComponent(record.key.sort.split("/")[4] ?? "")
        yield { name, value: await decode<T>(record) }
      }
    },
    async removeThread(thread: string): Promise<void> {
      for await (const { key } of records.range(partition, { ...keysUnder([thread]), signal })) {
        await withRetries(() => records.remove(key, { signal }))
      }
      await withRetries(() => blobs.remove(`${blobPrefix}${encodeURIComponent(thread)}/`, { signal }))
    },
  }
}

function checkpointSort({ thread, ns, id }: CheckpointRef): string {
  return sortKey(thread, "c", ns, id)
}

/** Builds a key. Within a thread and namespace, keys of checkpoints sort by time, because checkpoint IDs do. */
function sortKey(...segments: string[]): string {
  return segments.map(encodeURIComponent).join("/")
}

/** Returns the range of keys that begin with these segments. It ends before "0", which is the character after "/". */
function keysUnder(segments: string[]): { from: string; to: string } {
  return { from: `${sortKey(...segments)}/`, to: `${sortKey(...segments)}0` }
}
