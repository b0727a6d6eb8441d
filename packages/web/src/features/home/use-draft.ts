import { useState } from "react"
import { storeItem } from "../../api/store-item.ts"

const KEY = "switchyard.draft.new"

/** Returns the draft of a new session's prompt. It survives a reload, and is cleared once the session has started. */
export function useDraft(): { text: string; write(text: string): void; forget(): void } {
  const [text, setText] = useState(() => sessionStorage.getItem(KEY) ?? "")
  return {
    text,
    write: (next) => {
      setText(next)
      storeItem(sessionStorage, KEY, next)
    },
    forget: () => sessionStorage.removeItem(KEY),
  }
}
