import { useState } from "react"
import { storeItem } from "../../api/store-item.ts"

/** A flag that is remembered in this browser or tab, depending on the storage. */
export function useStoredFlag(storage: Storage, key: string): [isSet: boolean, set: (flag: boolean) => void] {
  const [isSet, setFlag] = useState(() => storage.getItem(key) !== null)
  const set = (flag: boolean) => {
    setFlag(flag)
    if (flag) storeItem(storage, key, "1")
    else storage.removeItem(key)
  }
  return [isSet, set]
}
