import { useQueryClient } from "@tanstack/react-query"
import { ApiError } from "../../api/client.ts"
import { anything, list, object, oneOf, text } from "../../api/decode.ts"
import { useToast, useTold } from "../../session/context/studio.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { type ChatMessage, type ChatView, chatKey } from "./use-chat.ts"
import { onceMoreIfLost, useTurns } from "./use-turns.ts"

const Forked = object({ id: text })
const Selected = object({
  selected_files: list(text),
  refused: list(object({ path: text, reason: oneOf("missing", "binary", "folder") })),
})

export function useChatActions(messages: readonly ChatMessage[]) {
  const { sessionId, api } = useShownSession()
  const toast = useToast()
  const told = useTold()
  const client = useQueryClient()
  const turns = useTurns(messages)
  const queryKey = chatKey(sessionId)
  const path = { id: sessionId }
  const call = { path, response: anything }

  /**
   * Requests a change to the chat or its files as a whole. Resolves to true if it is done or, in a repository, has
   * begun.
   */
  async function changed(answer: Promise<unknown>): Promise<boolean> {
    // Refetches first, because a message sent before the chat shows the change as in progress would be refused.
    const isDone = await told(answer.then(() => client.invalidateQueries({ queryKey })).then(() => true))
    return isDone !== null
  }

  return {
    ...turns,
    async select(files: string[]): Promise<void> {
      client.setQueryData<{ pages: ChatView[] }>(queryKey, (data) => data && withSelection(data, files))
      const request = { path, body: { files }, response: Selected }
      const answer = await told(api.call("PUT /api/v1/sessions/{id}/chat/selection", request))
      if (!answer) return client.invalidateQueries({ queryKey })
      for (const { path, reason } of answer.refused) toast(`Couldn't select ${path}: ${reasons[reason]}.`, "err")
    },
    stop(requestId: string) {
      const request = { ...call, path: { ...path, request: requestId } }
      // If the turn has ended meanwhile, there is nothing to stop.
      return told(api.call("POST /api/v1/sessions/{id}/chat/{request}/cancel", request).catch(unlessMissing))
    },
    begin: () => told(api.call("POST /api/v1/sessions/{id}/chat/new", call)),
    load: (chatId: string) =>
      told(api.call("POST /api/v1/sessions/{id}/chat/load", { ...call, body: { session_id: chatId } })),
    /** Resets the session's files to the last commit. */
    reset: () => changed(api.call("POST /api/v1/sessions/{id}/chat/reset", { ...call, body: { confirm: true } })),
    /** Removes a page from the context. */
    forgetPage: (url: string) => told(api.call("DELETE /api/v1/sessions/{id}/chat/urls", { ...call, query: { url } })),
    /** Makes the next turn rebuild its context. */
    rebuild: () =>
      told(
        api
          .call("POST /api/v1/sessions/{id}/chat/context/rebuild", call)
          .then(() => toast("Your next message will rebuild the context.")),
      ),
    /** Undoes the edits of a turn's answer. */
    undo(requestId: string) {
      const request = { ...call, path: { ...path, request: requestId } }
      return changed(api.call("POST /api/v1/sessions/{id}/chat/{request}/undo", request))
    },
    rewind: (toSeq: number) =>
      changed(api.call("POST /api/v1/sessions/{id}/chat/rewind", { ...call, body: { to_seq: toSeq, files: true } })),
    /** Resolves to the ID of the new session, which is still being filled. */
    async fork(toSeq: number): Promise<string | null> {
      const request = { path, body: { to_seq: toSeq }, idempotencyKey: crypto.randomUUID(), response: Forked }
      const forked = await told(onceMoreIfLost(() => api.call("POST /api/v1/sessions/{id}/chat/fork", request)))
      return forked?.id ?? null
    },
    /** Throws if the review can't begin. Its outcome is then reported by the chat. */
    async beginReview(of: { base: string | null; tip: string | null }): Promise<void> {
      await api.call("POST /api/v1/sessions/{id}/chat/review", { ...call, body: of })
      await client.invalidateQueries({ queryKey })
    },
    endReview: () => told(api.call("DELETE /api/v1/sessions/{id}/chat/review", call)),
  }
}

export type ChatActions = ReturnType<typeof useChatActions>

const reasons = { missing: "it doesn't exist", binary: "it's a binary file", folder: "it's a folder" }

function unlessMissing(failed: unknown): null {
  if (failed instanceof ApiError && failed.status === 404) return null
  throw failed
}

function withSelection<T extends { pages: ChatView[] }>(data: T, files: string[]): T {
  const [newest, ...pages] = data.pages
  return newest ? { ...data, pages: [{ ...newest, selected_files: files }, ...pages] } : data
}
