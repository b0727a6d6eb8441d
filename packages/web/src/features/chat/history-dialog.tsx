import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { flag, list, number, object, text } from "../../api/decode.ts"
import { useStudio } from "../../session/context/studio.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Notice } from "../../ui/notice.tsx"
import { momentOf } from "../../ui/time.ts"

const Conversations = object({
  sessions: list(object({ session_id: text, timestamp: text, message_count: number, preview: text, current: flag })),
})
const Found = object({
  messages: list(object({ session_id: text, seq: number, ts: text, role: text, content: text })),
})

const SEARCH_AFTER_MS = 300

interface Props {
  sessionId: string
  onLoad(chatId: string): void
  onNew(): void
  onClose(): void
}

/** The conversations of the session, and a search in all of them. */
export function HistoryDialog({ sessionId, onLoad, onNew, onClose }: Props) {
  const { api } = useStudio()
  const [typed, setTyped] = useState("")
  const wanted = useSettledText(typed)
  const path = { id: sessionId }
  const conversations = useQuery({
    queryKey: ["chat-sessions", sessionId],
    staleTime: 10_000,
    queryFn: ({ signal }) =>
      api.call("GET /api/v1/sessions/{id}/chat/sessions", { path, query: {}, response: Conversations, signal }),
  })
  const found = useQuery({
    queryKey: ["chat-search", sessionId, wanted],
    enabled: wanted !== "",
    queryFn: ({ signal }) =>
      api.call("GET /api/v1/sessions/{id}/chat/search", { path, query: { q: wanted }, response: Found, signal }),
  })
  const choose = (chatId: string) => {
    onLoad(chatId)
    onClose()
  }
  const row = "flex w-full flex-col gap-0.5 rounded-sm px-2 py-1.5 text-left hover:bg-well min-h-11"
  return (
    <Dialog
      title="Conversations"
      onClose={onClose}
      wide
      actions={
        <Button
          tone="primary"
          onClick={() => {
            onNew()
            onClose()
          }}
        >
          New conversation
        </Button>
      }
    >
      <label htmlFor="chat-search" className="unseen">
        Search all conversations
      </label>
      <input
        id="chat-search"
        type="search"
        data-autofocus
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        placeholder="Search all conversations"
        className="mb-3 h-9 w-full rounded-md border border-strong bg-sheet px-3"
      />
      {(conversations.error ?? found.error) && (
        <Notice tone="err">{(conversations.error ?? found.error)?.message}</Notice>
      )}
      {wanted === "" ? (
        <ul aria-label="Conversations">
          {conversations.data?.sessions.map(({ session_id, preview, message_count, timestamp, current }) => (
            <li key={session_id}>
              <button type="button" onClick={() => choose(session_id)} className={row}>
                <span className={current ? "font-semibold" : ""}>{preview || "Empty"}</span>
                <span className="text-xs text-ink-3 nums">
                  {momentOf(timestamp)} · {message_count} messages{current && " · open"}
                </span>
              </button>
            </li>
          ))}
          {conversations.data?.sessions.length === 0 && <p className="text-ink-3">Nothing was said here yet.</p>}
        </ul>
      ) : (
        <ul aria-label="Messages found">
          {found.data?.messages.map(({ session_id, seq, ts, role, content }) => (
            <li key={seq}>
              <button type="button" onClick={() => choose(session_id)} className={row}>
                <span className="line-clamp-2 break-words">{around(content, wanted)}</span>
                <span className="text-xs text-ink-3 nums">
                  {role === "user" ? "You" : "Answer"} · {momentOf(ts)}
                </span>
              </button>
            </li>
          ))}
          {found.data?.messages.length === 0 && <p className="text-ink-3">No message has this text.</p>}
        </ul>
      )}
    </Dialog>
  )
}

/** The part of a text around what was searched for. */
function around(content: string, wanted: string): string {
  const at = content.toLowerCase().indexOf(wanted.toLowerCase())
  const from = Math.max(0, at - 60)
  return `${from > 0 ? "…" : ""}${content.slice(from, at + wanted.length + 120)}`
}

function useSettledText(typed: string): string {
  const [settled, setSettled] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed.trim()), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return settled
}
