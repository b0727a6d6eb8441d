import { useState } from "react"

/** The next message of a chat while it is written. It survives a reload, and the way to another session and back. */
export function useDraft(sessionId: string): [string, (draft: string) => void] {
  const key = `switchyard.chat-draft.${sessionId}`
  const [draft, setDraft] = useState(() => sessionStorage.getItem(key) ?? "")
  const write = (text: string) => {
    setDraft(text)
    if (text === "") sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  }
  return [draft, write]
}
