import { isAppError } from "../errors.ts"
import { backoffMs, type Clock } from "../time.ts"
import type { Blobs } from "./blobs.ts"
import type { PutOptions, Records } from "./records.ts"

/**
 * The same stores for who has time: a call that the store could not answer is made again, until it can or the signal aborts.
 * Only calls that may be made twice are: a put under a condition, and a stream that can't be read again, are the caller's.
 * `onUnavailable` hears of each call that the store could not answer.
 */
export function patientStores(
  { records, blobs }: { records: Records; blobs: Blobs },
  clock: Clock,
  onUnavailable: () => void = () => {},
): { records: Records; blobs: Blobs } {
  const once: Again = async (call) => {
    try {
      return await call()
    } catch (error) {
      if (isAppError(error, "storage_unavailable")) onUnavailable()
      throw error
    }
  }
  const again = async <T>(call: () => Promise<T>, { signal }: { signal?: AbortSignal } = {}): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await once(call)
      } catch (error) {
        if (signal?.aborted || !isAppError(error, "storage_unavailable")) throw error
        await clock.sleep(backoffMs(attempt, FIRST_WAIT_MS, LONGEST_WAIT_MS), { signal })
      }
    }
  }
  return { records: patientRecords(records, again, once), blobs: patientBlobs(blobs, again, once) }
}

const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 2000

type Again = <T>(call: () => Promise<T>, options?: { signal?: AbortSignal }) => Promise<T>

function patientRecords(records: Records, again: Again, once: Again): Records {
  const isConditional = ({ ifAbsent, ifVersion }: PutOptions = {}) => ifAbsent || ifVersion !== undefined
  return {
    get: (key, options) => again(() => records.get(key, options), options),
    put(key, body, options) {
      const put = () => records.put(key, body, options)
      return isConditional(options) ? once(put) : again(put, options)
    },
    remove(key, options) {
      const remove = () => records.remove(key, options)
      return options?.ifVersion === undefined ? again(remove, options) : once(remove)
    },
    range: (partition, options) => resumed(options, again, (from) => records.range(partition, { ...options, ...from })),
    byList: records.byList,
  }
}

/** A range that breaks off goes on after the last record that was seen. */
async function* resumed(
  { limit, reverse, signal }: { limit?: number; reverse?: boolean; signal?: AbortSignal } = {},
  again: Again,
  open: (rest: { from?: string; to?: string; limit?: number }) => ReturnType<Records["range"]>,
): ReturnType<Records["range"]> {
  let seen = 0
  let last: string | undefined
  let page = open({})
  for (;;) {
    const next = await again(
      async () => {
        try {
          return await page.next()
        } catch (error) {
          const left = limit === undefined ? {} : { limit: limit - seen + 1 }
          page = open(last === undefined ? {} : { ...(reverse ? { to: last } : { from: last }), ...left })
          throw error
        }
      },
      { signal },
    )
    if (next.done) return
    if (next.value.key.sort === last) continue
    last = next.value.key.sort
    seen++
    yield next.value
  }
}

function patientBlobs(blobs: Blobs, again: Again, once: Again): Blobs {
  return {
    ...blobs,
    put(key, source, options) {
      const put = () => blobs.put(key, source, options)
      return source instanceof Uint8Array ? again(put, options) : once(put)
    },
    get: (key, options) => again(() => blobs.get(key, options), options),
    head: (key, options) => again(() => blobs.head(key, options), options),
  }
}
