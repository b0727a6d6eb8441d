import { backoffMs, retry, withJitter } from "../concurrency/retry.ts"
import { isAppError } from "../errors.ts"
import type { Clock } from "../time.ts"
import type { Blobs } from "./blobs.ts"
import type { PutOptions, Records } from "./records.ts"

/**
 * Wraps the stores for callers that can wait. If a store is unavailable, a call is retried until it succeeds or the
 * signal aborts. Only idempotent calls are retried. For conditional puts, and for streams that can only be read once,
 * callers must retry themselves. `onUnavailable` is called each time a call finds the store unavailable.
 */
export function createRetryingStores(
  { records, blobs }: { records: Records; blobs: Blobs },
  clock: Clock,
  onUnavailable?: () => void,
): { records: Records; blobs: Blobs } {
  const { again, once } = createCalls(clock, { onUnavailable })
  return { records: retryingRecords(records, again, once), blobs: retryingBlobs(blobs, again, once) }
}

/**
 * Wraps records for callers that look for their own record after a conditional call. Therefore, these calls are retried,
 * too: undefined from a put, and false from a removal, may follow a lost reply. Delays are random, because many callers
 * may wait for the same records.
 */
export function createPatientRecords({ records, clock, random = Math.random }: PatientDeps): Records {
  const { again } = createCalls(clock, { random })
  return retryingRecords(records, again, again)
}

export interface PatientDeps {
  records: Records
  clock: Pick<Clock, "sleep">
  random?: () => number
}

const MIN_BACKOFF_MS = 50
const MAX_BACKOFF_MS = 2000

type Call = <T>(call: () => Promise<T>, options?: { signal?: AbortSignal }) => Promise<T>

/** Creates a function that retries a call, and one that doesn't. */
function createCalls(
  clock: Pick<Clock, "sleep">,
  { onUnavailable, random = () => 1 }: { onUnavailable?: () => void; random?: () => number },
): { again: Call; once: Call } {
  const once: Call = async (call) => {
    try {
      return await call()
    } catch (error) {
      if (isAppError(error, "storage_unavailable")) onUnavailable?.()
      throw error
    }
  }
  const again: Call = (call, { signal } = {}) => {
    const delayMs = (error: unknown, attempt: number) =>
      isAppError(error, "storage_unavailable") && !signal?.aborted
        ? withJitter(backoffMs(attempt, MIN_BACKOFF_MS, MAX_BACKOFF_MS), random)
        : undefined
    return retry(() => once(call), { delayMs, clock, signal })
  }
  return { again, once }
}

function retryingRecords(records: Records, again: Call, once: Call): Records {
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
    range: (partition, options) =>
      resumableRange(options, again, (from) => records.range(partition, { ...options, ...from })),
    byList: records.byList,
  }
}

/** Yields a range. After a failure, resumes after the last record that was yielded. */
async function* resumableRange(
  { limit, reverse, signal }: { limit?: number; reverse?: boolean; signal?: AbortSignal } = {},
  again: Call,
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

function retryingBlobs(blobs: Blobs, again: Call, once: Call): Blobs {
  return {
    ...blobs,
    put(key, source, options) {
      const put = () => blobs.put(key, source, options)
      return source instanceof Uint8Array ? again(put, options) : once(put)
    },
    copy: (from, to, options) => again(() => blobs.copy(from, to, options), options),
    get: (key, options) => again(() => blobs.get(key, options), options),
    head: (key, options) => again(() => blobs.head(key, options), options),
  }
}
