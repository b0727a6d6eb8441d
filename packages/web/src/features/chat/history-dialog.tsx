import { formatCount } from "@switchyard/core/text/format"
import { useState } from "react"
import { flag, list, number, object, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { ErrorNotice } from "../../ui/notice.tsx"
import { momentOf } from "../../ui/time.ts"
import { useSettled } from "../../ui/use-settled.ts"

const Conversations = object({
  sessions: list(object({ session_id: text, timestamp: text, message_count: number, preview: text, current: flag })),
})
const Found = object({
  messages: list(object({ session_id: text, seq: number, ts: text, role: text, content: text })),
})

const SEARCH_AFTER_MS = 300

interface Props {
  onLoad(chatId: string): void
  onNew(): void
  onClose(): void
}

/** The session's conversations, and a search across all of them. */
export function HistoryDialog({ onLoad, onNew, onClose }: Props) {
  const { sessionId } = useShownSession()
  const [typed, setTyped] = useState("")
  const wanted = useSettled(typed.trim(), SEARCH_AFTER_MS)
  const path = { id: sessionId }
  const conversations = useResponse(
    ["chat-sessions", sessionId],
    "GET /api/v1/sessions/{id}/chat/sessions",
    { path, query: {}, response: Conversations },
    { staleTime: 10_000 },
  )
  const found = useResponse(
    ["chat-search", sessionId, wanted],
    "GET /api/v1/sessions/{id}/chat/search",
    { path, query: { q: wanted }, response: Found },
    { enabled: wanted !== "" },
  )
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
      <ErrorNotice error={conversations.error ?? found.error} />
      {wanted === "" ? (
        <ul aria-label="Conversations">
          {conversations.data?.sessions.map(({ session_id, preview, message_count, timestamp, current }) => (
            <li key={session_id}>
              <button type="button" onClick={() => choose(session_id)} className={row}>
                <span className={current ? "font-semibold" : ""}>{preview || "Empty"}</span>
                <span className="text-xs text-ink-3 nums">
                  {momentOf(timestamp)} · {formatCount(message_count, "message")}
                  {current && " · current"}
                </span>
              </button>
            </li>
          ))}
          {conversations.data?.sessions.length === 0 && <p className="text-ink-3">No conversations yet.</p>}
        </ul>
      ) : (
        <ul aria-label="Search results">
          {found.data?.messages.map(({ session_id, seq, ts, role, content }) => (
            <li key={seq}>
              <button type="button" onClick={() => choose(session_id)} className={row}>
                <span className="line-clamp-2 break-words">{around(content, wanted)}</span>
                <span className="text-xs text-ink-3 nums">
                  {role === "user" ? "You" : "Model"} · {momentOf(ts)}
                </span>
              </button>
            </li>
          ))}
          {found.data?.messages.length === 0 && <p className="text-ink-3">No messages found.</p>}
        </ul>
      )}
    </Dialog>
  )
}

/** Returns the part of a text around a search match. */
function around(content: string, wanted: string): string {
  const at = content.toLowerCase().indexOf(wanted.toLowerCase())
  const from = Math.max(0, at - 60)
  return `${from > 0 ? "…" : ""}${content.slice(from, at + wanted.length + 120)}`
}
