import { useState } from "react"
import { storeItem } from "../../api/store-item.ts"

/** Whether the pages of a session may load things of other sites, as this tab remembers it. */
export function useExternal(sessionId: string): [boolean, (allowed: boolean) => void] {
  const key = `switchyard.preview.external.${sessionId}`
  const [allowed, setAllowed] = useState(() => sessionStorage.getItem(key) !== null)
  const store = (next: boolean) => {
    setAllowed(next)
    if (next) storeItem(sessionStorage, key, "1")
    else sessionStorage.removeItem(key)
  }
  return [allowed, store]
}
