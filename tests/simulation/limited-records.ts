import { AppError } from "@switchyard/core/errors"
import { recordSize } from "@switchyard/core/storage/limits"
import type { RecordKey, Records, StoredRecord } from "@switchyard/core/storage/records"
import type { VirtualTime } from "./virtual-time.ts"

/** Capacity units per second of a DynamoDB partition, and so of an item. */
const UNITS_A_SECOND = { write: 1000, read: 3000 }

/** Duration of a call that isn't throttled. */
const WRITE_MS = 6
const READ_MS = 4
/**
 * The SDK's retries: number of attempts, and the pause after the first throttled one. Each further pause is twice as
 * long.
 */
const SDK_ATTEMPTS = 3
const SDK_THROTTLED_MS = 500

/**
 * Simulates DynamoDB with the capacity of one partition for each partition key. The real one has more: it saves up five
 * minutes of capacity and splits hot partitions. A throttled call is retried like the SDK does, and fails after the
 * last attempt.
 */
export function createLimitedRecords(time: VirtualTime, random: () => number) {
  const partitions = new Map<string, { key: string; record: StoredRecord; bytes: number }[]>()
  const buckets = new Map<string, { left: number; at: number }>()
  const throttled = new Map<string, number>()
  const units = new Map<string, number>()

  /** Takes the units if the partition has any left. A large call may take more than the rest, and later calls wait. */
  function takes(kind: "write" | "read", partition: string, wanted: number): boolean {
    const name = `${kind} ${partition}`
    const rate = UNITS_A_SECOND[kind]
    const { left, at } = buckets.get(name) ?? { left: rate, at: time.now() }
    const now = Math.min(rate, left + ((time.now() - at) / 1000) * rate)
    const isLeft = now > 0
    buckets.set(name, { left: isLeft ? now - wanted : now, at: time.now() })
    const counted = isLeft ? units : throttled
    counted.set(name, (counted.get(name) ?? 0) + (isLeft ? wanted : 1))
    return isLeft
  }

  async function call<T>(kind: "write" | "read", partition: string, wanted: () => number, act: () => T): Promise<T> {
    for (let attempt = 0; attempt < SDK_ATTEMPTS; attempt++) {
      const ms = kind === "write" ? WRITE_MS : READ_MS
      await time.sleep(ms / 2 + random() * ms)
      if (takes(kind, partition, wanted())) {
        const result = act()
        await time.sleep(ms / 2)
        return result
      }
      if (attempt < SDK_ATTEMPTS - 1) await time.sleep(random() * SDK_THROTTLED_MS * 2 ** attempt)
    }
    throw new AppError("storage_unavailable", "Throttled.")
  }

  const itemsIn = (partition: string) => {
    const items = partitions.get(partition) ?? []
    partitions.set(partition, items)
    return items
  }
  /** Returns the index of a sort key, or the index to insert it at. */
  function placeOf(items: { key: string }[], sort: string): number {
    let low = 0
    for (let high = items.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((items[middle]?.key ?? "") < sort) low = middle + 1
      else high = middle
    }
    return low
  }
  function find({ partition, sort }: RecordKey) {
    const items = itemsIn(partition)
    const at = placeOf(items, sort)
    return { items, at, item: items[at]?.key === sort ? items[at] : undefined }
  }

  const records: Records = {
    get: (key) =>
      call(
        "read",
        key.partition,
        () => Math.ceil((find(key).item?.bytes ?? 1) / 4096),
        () => find(key).item?.record,
      ),
    put(key, body, { ifAbsent, ifVersion } = {}) {
      const bytes = recordSize(key, JSON.stringify(body.value), body, undefined)
      // A failed condition takes as many units.
      const act = () => {
        const { items, at, item } = find(key)
        const version = item?.record.version ?? 0
        if ((ifAbsent && version > 0) || (ifVersion !== undefined && version !== ifVersion)) return undefined
        const record = { key, value: structuredClone(body.value), version: version + 1 }
        items.splice(at, item ? 1 : 0, { key: key.sort, record, bytes })
        return version + 1
      }
      return call("write", key.partition, () => Math.ceil(bytes / 1024), act)
    },
    remove: (key, { ifVersion } = {}) =>
      call(
        "write",
        key.partition,
        () => Math.ceil((find(key).item?.bytes ?? 1) / 1024),
        () => {
          const { items, at, item } = find(key)
          if (ifVersion !== undefined && item?.record.version !== ifVersion) return false
          if (item) items.splice(at, 1)
          return true
        },
      ),
    async *range(partition, { from = "", to = "\uffff", limit = Number.POSITIVE_INFINITY } = {}) {
      const page = () => {
        const items = itemsIn(partition)
        const begin = placeOf(items, from)
        const end = Math.min(begin + limit, placeOf(items, `${to}\0`))
        return items.slice(begin, end)
      }
      const size = () => Math.max(1, Math.ceil(page().reduce((sum, { bytes }) => sum + bytes, 0) / 4096))
      yield* (await call("read", partition, size, page)).map(({ record }) => record)
    },
    // biome-ignore lint/correctness/useYield: nothing here has lists
    async *byList() {
      throw new Error("There are no lists here.")
    },
  }
  return {
    records,
    /** Refused attempts and taken units, by kind and partition. */
    ...{ throttled, units },
    all: (partition: string) => itemsIn(partition).map(({ record }) => record),
  }
}
