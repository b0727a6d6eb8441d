import { useEffect, useState } from "react"
import type { SessionStore } from "../../stream/session-store.ts"
import { useSessionData } from "./use-session.ts"

/**
 * The file that is open beside the log. Until somebody chooses one, it is the first of the alphabet; it moves along when its
 * file is renamed away or deleted.
 */
export function useActiveFile(session: SessionStore): [path: string | null, open: (path: string | null) => void] {
  const files = useSessionData(session, ({ shown }) => shown.files.manifest.files)
  const [chosen, setChosen] = useState<{ path: string | null } | null>(null)
  const [kept, setKept] = useState<string | null>(null)
  const here = files.some((file) => file.path === kept)
  const first = files[0]?.path ?? null
  useEffect(() => {
    if (chosen === null && !here) setKept(first)
    if (chosen !== null && chosen.path !== null && !files.some((file) => file.path === chosen.path)) setChosen(null)
  }, [chosen, here, first, files])
  const path = chosen === null ? (here ? kept : first) : chosen.path
  return [path, (next) => setChosen({ path: next })]
}
