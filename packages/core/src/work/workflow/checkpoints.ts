import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { deflateRaw, inflateRaw } from "node:zlib"
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint"
import { AppError, isAppError } from "../../errors.ts"
import { checkpointPartition, sessionBlobs } from "../../kernel/keys.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import type { RecordBody, Records, StoredRecord } from "../../storage/records.ts"
import { backoffMs, type Clock } from "../../time.ts"

export interface CheckpointStoreDeps {
  records: Records
  blobs: Blobs
  clock: Clock
  partition: string
  /** The blob prefix for values that are too large for a record; it ends with a slash. */
  blobPrefix: string
  signal?: AbortSignal
}

/** Which checkpoint. */
export interface Place {
  thread: string
  ns: string
  id: string
}

/** Values of checkpoints by their place, and further values beside each of them by name. */
export interface CheckpointStore {
  read<T>(place: Place): Promise<T | undefined>
  write(place: Place, value: unknown): Promise<void>
  /** Newest first within a thread and a namespace; of all threads and all namespaces if none is named. */
  places(thread?: string, ns?: string): AsyncGenerator<Place>
  newest(thread: string, ns: string): Promise<string | undefined>
  /** Changes what stands beside a checkpoint under a name. The change is asked again if another came first. */
  merge<T>(place: Place, name: string, change: (standing: T | undefined) => T): Promise<void>
  merged<T>(place: Place): AsyncGenerator<{ name: string; value: T }>
  removeThread(thread: string): Promise<void>
}

/** The keys of one run's checkpoints. They are a cache of its progress, which is in its log, too. */
export function checkpointsOf(sid: string, runId: string): { partition: string; blobPrefix: string } {
  return { partition: checkpointPartition(sid, runId), blobPrefix: `${sessionBlobs(sid)}checkpoints/${runId}/` }
}

/** Here, and not with LangGraph's saver, for those who sweep and never load LangGraph. */
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
const TRIES = 6

export function createCheckpointStore(deps: CheckpointStoreDeps, serde: SerializerProtocol): CheckpointStore {
  const { records, blobs, clock, partition, blobPrefix, signal } = deps

  const patiently = async <T>(call: () => Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await call()
      } catch (error) {
        if (!isAppError(error, "storage_unavailable") || attempt + 1 >= TRIES) throw error
        await clock.sleep(backoffMs(attempt, 50, 2000), { signal })
      }
    }
  }

  async function encode(sort: string, value: unknown): Promise<RecordBody> {
    const [type, text] = await serde.dumpsTyped(value)
    const bytes = await promisify(deflateRaw)(text)
    if (bytes.length <= RECORD_BYTES) return { value: { type }, bytes }
    const blob = blobKey(sort)
    await patiently(() => blobs.put(blob, bytes, { signal }))
    return { value: { type, blob } }
  }

  async function decode<T>({ value, bytes }: StoredRecord): Promise<T> {
    const packed = typeof value.blob === "string" ? await readBlob(value.blob) : bytes
    const text = await promisify(inflateRaw)(packed ?? Buffer.alloc(0))
    return serde.loadsTyped(String(value.type), text)
  }

  async function readBlob(key: string): Promise<Buffer> {
    const source = await patiently(() => blobs.get(key, { signal }))
    if (!source) throw new AppError("internal_error", "A part of a checkpoint is gone.", { key })
    return readAll(source)
  }

  function blobKey(sort: string): string {
    const [thread] = sort.split("/")
    return `${blobPrefix}${thread}/${createHash("sha256").update(sort).digest("hex")}`
  }

  async function* places(thread?: string, ns?: string): AsyncGenerator<Place> {
    const within = thread === undefined ? {} : under(ns === undefined ? [thread, "c"] : [thread, "c", ns])
    for await (const { key } of records.range(partition, { ...within, reverse: true, signal })) {
      const [inThread = "", kind, inNs = "", id = ""] = key.sort.split("/").map(decodeURIComponent)
      if (kind === "c" && (ns === undefined || ns === inNs)) yield { thread: inThread, ns: inNs, id }
    }
  }

  return {
    async read<T>(place: Place) {
      const record = await patiently(() => records.get({ partition, sort: checkpointSort(place) }, { signal }))
      return record && decode<T>(record)
    },
    async write(place, value) {
      const sort = checkpointSort(place)
      const body = await encode(sort, value)
      await patiently(() => records.put({ partition, sort }, body, { signal }))
    },
    places,
    async newest(thread, ns) {
      for await (const { id } of places(thread, ns)) return id
      return undefined
    },
    async merge<T>(place: Place, name: string, change: (standing: T | undefined) => T) {
      const sort = sortOf(place.thread, "w", place.ns, place.id, name)
      for (;;) {
        const standing = await patiently(() => records.get({ partition, sort }, { signal }))
        const body = await encode(sort, change(standing && (await decode<T>(standing))))
        const condition = standing ? { ifVersion: standing.version } : { ifAbsent: true as const }
        const version = await patiently(() => records.put({ partition, sort }, body, { ...condition, signal }))
        if (version !== undefined) return
      }
    },
    async *merged<T>({ thread, ns, id }: Place) {
      for await (const record of records.range(partition, { ...under([thread, "w", ns, id]), signal })) {
        const name = decodeURIComponent(record.key.sort.split("/")[4] ?? "")
        yield { name, value: await decode<T>(record) }
      }
    },
    async removeThread(thread) {
      for await (const { key } of records.range(partition, { ...under([thread]), signal })) {
        await patiently(() => records.remove(key, { signal }))
      }
      await patiently(() => blobs.remove(`${blobPrefix}${encodeURIComponent(thread)}/`, { signal }))
    },
  }
}

function checkpointSort({ thread, ns, id }: Place): string {
  return sortOf(thread, "c", ns, id)
}

/** Ids of checkpoints order by time, and so do the keys that end with them. */
function sortOf(...segments: string[]): string {
  return segments.map(encodeURIComponent).join("/")
}

/** The keys that begin with these segments. "0" is what follows "/". */
function under(segments: string[]): { from: string; to: string } {
  return { from: `${sortOf(...segments)}/`, to: `${sortOf(...segments)}0` }
}
