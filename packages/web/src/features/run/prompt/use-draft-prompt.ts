import { useState } from "react"

export interface DraftPrompt {
  draft: string
  write(draft: string): void
  /** Empties it, once it was sent. */
  forget(): void
}

/** The next request of a session while it is written. It survives a reload, and the way to another session and back. */
export function useDraftPrompt(sessionId: string): DraftPrompt {
  const key = `switchyard.draft.${sessionId}`
  const [draft, setDraft] = useState(() => sessionStorage.getItem(key) ?? "")
  const write = (text: string) => {
    setDraft(text)
    if (text === "") sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }
  return { draft, write, forget: () => write("") }
}
