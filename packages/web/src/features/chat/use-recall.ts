import { type KeyboardEvent, useState } from "react"
import type { ChatMessage } from "./use-chat.ts"

/** Lets the arrow keys at either end of the field step through the messages sent so far. */
export function useRecall(messages: ChatMessage[], draft: string, onWrite: (draft: string) => void) {
  const [at, setAt] = useState<number | null>(null)
  const sent = messages
    .filter(({ role, system_event }) => role === "user" && !system_event)
    .map(({ content }) => content)
  return (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget
    const isRecalled = at !== null && draft === sent[at]
    const isAtStart = selectionStart === 0 && selectionEnd === 0
    if (event.key === "ArrowUp" && (isAtStart || isRecalled) && sent.length > 0) {
      const next = isRecalled ? Math.max(0, at - 1) : sent.length - 1
      if (!isRecalled && draft !== "") return
      event.preventDefault()
      setAt(next)
      onWrite(sent[next] ?? "")
    }
    if (event.key === "ArrowDown" && isRecalled) {
      event.preventDefault()
      const next = at + 1 < sent.length ? at + 1 : null
      setAt(next)
      onWrite(next === null ? "" : (sent[next] ?? ""))
    }
  }
}
