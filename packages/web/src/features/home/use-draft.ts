import { useState } from "react"

const KEY = "switchyard.draft.new"

/** What is being asked for. It survives a reload, and is forgotten once somebody has taken it. */
export function useDraft(): { text: string; write(text: string): void; forget(): void } {
  const [text, setText] = useState(() => sessionStorage.getItem(KEY) ?? "")
  return {
    text,
    write: (next) => {
      setText(next)
      sessionStorage.setItem(KEY, next)
    },
    forget: () => sessionStorage.removeItem(KEY),
  }
}
