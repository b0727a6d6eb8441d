import { useState } from "react"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"

/**
 * The file that is open next to the log: the chosen one, or else one that is being written, or else the first in the tree. A
 * choice survives moments at which its file doesn't exist.
 */
export function useActiveFile(session: SessionStore): [path: string | null, open: (path: string | null) => void] {
  const files = useSessionData(session, ({ shown }) => shown.files.manifest.files)
  const writing = useSessionData(session, ({ shown }) => shown.graph.writing)
  const [chosen, setChosen] = useState<{ path: string | null } | null>(null)
  const [first, setFirst] = useState<string | null>(null)
  const isWritten = (path: string | null) => path !== null && writing.includes(path)
  const isThere = (path: string | null) => isWritten(path) || files.some((file) => file.path === path)
  // The open file stays open, even if a file that sorts before it arrives; only a next one that is being written follows it.
  const kept = isThere(first) ? first : (files[0]?.path ?? null)
  const shown = isWritten(first) ? first : (writing[0] ?? kept)
  if (shown !== first) setFirst(shown)
  const path = chosen !== null && (chosen.path === null || isThere(chosen.path)) ? chosen.path : shown
  return [path, (next) => setChosen({ path: next })]
}
