import { useMemo, useSyncExternalStore } from "react"
import { useShownSession } from "../../../session/view/use-session.ts"
import { createDrafts } from "./drafts.ts"

const CHANGED = "switchyard.drafts"

/** Notifies the file tree that a file now has unsaved text, or no longer has any. */
export const draftsChanged = (): void => void window.dispatchEvent(new Event(CHANGED))

/** Returns the paths of the session's files that have unsaved text in this tab. */
export function useUnsaved(): ReadonlySet<string> {
  const { sessionId } = useShownSession()
  const joined = useSyncExternalStore(subscribe, () =>
    createDrafts(sessionStorage, sessionId).paths().sort().join("\n"),
  )
  return useMemo(() => new Set(joined.split("\n").filter(Boolean)), [joined])
}

function subscribe(listener: () => void): () => void {
  window.addEventListener(CHANGED, listener)
  return () => window.removeEventListener(CHANGED, listener)
}
