import { AppError } from "@switchyard/core/errors"
import type { Stores } from "@switchyard/functions/local/local-core"

/** A call fails before it does anything, or after it did everything. The caller can't distinguish the two. */
export type Failing = "before" | "after" | undefined

export interface StoreCall {
  op: "get" | "put" | "remove" | "range"
  /** A partition, list, blob key or prefix. */
  at: string
}

/** Wraps stores so that calls fail as `failing` decides, with the error of a full or unreachable store. */
export function failingStores({ records, blobs }: Stores, failing: (call: StoreCall) => Promise<Failing>): Stores {
  async function may<T>(call: StoreCall, task: () => Promise<T>): Promise<T> {
    const how = await failing(call)
    if (how === "before") throw unavailable()
    const result = await task()
    if (how === "after") throw unavailable()
    return result
  }
  async function* mayYield<T>(call: StoreCall, source: () => AsyncGenerator<T>): AsyncGenerator<T> {
    const how = await failing(call)
    if (how === "before") throw unavailable()
    for await (const item of source()) {
      yield item
      if (how === "after") throw unavailable()
    }
  }

  return {
    records: {
      get: (...args) => may({ op: "get", at: args[0].partition }, () => records.get(...args)),
      put: (...args) => may({ op: "put", at: args[0].partition }, () => records.put(...args)),
      remove: (...args) => may({ op: "remove", at: args[0].partition }, () => records.remove(...args)),
      range: (...args) => mayYield({ op: "range", at: args[0] }, () => records.range(...args)),
      byList: (...args) => mayYield({ op: "range", at: args[0] }, () => records.byList(...args)),
    },
    blobs: {
      get: (...args) => may({ op: "get", at: args[0] }, () => blobs.get(...args)),
      put: (...args) => may({ op: "put", at: args[0] }, () => blobs.put(...args)),
      copy: (...args) => may({ op: "put", at: args[1] }, () => blobs.copy(...args)),
      head: (...args) => may({ op: "get", at: args[0] }, () => blobs.head(...args)),
      remove: (...args) => may({ op: "remove", at: args[0] }, () => blobs.remove(...args)),
      list: (...args) => mayYield({ op: "range", at: args[0] }, () => blobs.list(...args)),
      signedUrl: (...args) => blobs.signedUrl(...args),
    },
  }
}

function unavailable(): AppError {
  return new AppError("storage_unavailable", "No space left on device.")
}
