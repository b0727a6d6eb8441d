import { useState } from "react"

/** Whether the pages of a session may load things of other sites, as this tab remembers it. */
export function useExternal(sessionId: string): [boolean, (allowed: boolean) => void] {
  const key = `switchyard.preview.external.${sessionId}`
  const [allowed, setAllowed] = useState(() => sessionStorage.getItem(key) !== null)
  const store = (next: boolean) => {
    setAllowed(next)
    if (next) sessionStorage.setItem(key, "1")
    else sessionStorage.removeItem(key)
  }
  return [allowed, store]
}
