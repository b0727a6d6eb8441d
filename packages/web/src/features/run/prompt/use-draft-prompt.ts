import { useState } from "react"

export interface DraftPrompt {
  draft: string
  write(draft: string): void
  /** Empties it, once it was sent. */
  forget(): void
}

/** The next request of a session, or message to one of its agents or its chat, while it is written. It survives a reload, and the way to another session and back. */
export function useDraftPrompt(name: string): DraftPrompt {
  const key = `switchyard.draft.${name}`
  const [draft, setDraft] = useState(() => sessionStorage.getItem(key) ?? "")
  const write = (text: string) => {
    setDraft(text)
    if (text === "") sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }
  return { draft, write, forget: () => write("") }
}
