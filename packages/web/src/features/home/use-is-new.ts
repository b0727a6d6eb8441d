import { useEffect, useState } from "react"
import { storeItem } from "../../api/store-item.ts"
import { useSessions } from "../../session/list/use-sessions.ts"

const KNOWN = "switchyard.has-sessions"

/**
 * Returns true for a user who has never had sessions in this browser. Undefined until this is known, because the two
 * layouts differ, and the page must not move after its first paint.
 */
export function useIsNew(): boolean | undefined {
  const { data, error } = useSessions()
  const [wasKnown] = useState(() => localStorage.getItem(KNOWN) !== null)
  const hasSessions = data && data.sessions.length > 0
  useEffect(() => {
    if (hasSessions) storeItem(localStorage, KNOWN, "1")
  }, [hasSessions])
  if (wasKnown || hasSessions || error) return false
  return data && true
}
