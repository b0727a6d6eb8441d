import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"

interface Stores {
  records: Records
  blobs: Blobs
}

/**
 * Wraps stores so that nothing works after the nth write, as for a killed process. `lastWrite` selects if the nth write
 * itself is lost or done.
 */
export function mortal<S extends Stores>(stores: S, nth: number, lastWrite: "lost" | "done") {
  let writes = 0
  const isDead = () => writes >= nth
  const dead = () => Promise.reject(new Error("The process is dead."))
  const last = async <T>(write: () => Promise<T>): Promise<T> => {
    if (isDead()) return dead()
    writes++
    const dying = isDead()
    if (dying && lastWrite === "lost") return dead()
    const result = await write()
    return dying ? dead() : result
  }
  const alive = <T>(read: () => Promise<T>): Promise<T> => (isDead() ? dead() : read())
  const records: Records = {
    ...stores.records,
    get: (...args) => alive(() => stores.records.get(...args)),
    put: (...args) => last(() => stores.records.put(...args)),
    remove: (...args) => last(() => stores.records.remove(...args)),
  }
  const blobs: Blobs = { ...stores.blobs, put: (...args) => last(() => stores.blobs.put(...args)) }
  return { on: { ...stores, records, blobs }, writes: () => writes }
}
