import { useQueryClient } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { ApiError } from "../../api/client.ts"
import { anything, list, object, oneOf, text } from "../../api/decode.ts"
import { errorText } from "../../api/error-text.ts"
import { useStudio, useToast } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { type ChatMessage, type ChatView, chatKey } from "./use-chat.ts"

const Forked = object({ id: text })
const Started = object({ request_id: text, run_id: text })
const Selected = object({
  selected_files: list(text),
  refused: list(object({ path: text, reason: oneOf("missing", "binary", "folder") })),
})

export interface Question {
  message: string
  images: string[]
  /** Addresses in the message that are not to be read. */
  excluded_urls: string[]
}

/** A question whose acceptance the server could not confirm: it may have begun, or not. */
interface UnconfirmedTurn {
  requestId: string
  question: Question
}

/** The actions in the chat of a session. */
export function useChatActions(sessionId: string, messages: readonly ChatMessage[]) {
  const { api } = useStudio()
  const toast = useToast()
  const client = useQueryClient()
  const { requested } = useModel()
  const [sending, setSending] = useState<Question | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [unconfirmed, setUnconfirmed] = useState<UnconfirmedTurn | null>(null)
  const unconfirmedCommit = useRef<{ requestId: string; model: string | null } | null>(null)
  const path = { id: sessionId }
  const isInChat = (requestId: string) => messages.some(({ request_id }) => request_id === requestId)
  const hasArrived = unconfirmed !== null && isInChat(unconfirmed.requestId)

  /** Resolves to whether the turn began. The same question sent again after a lost answer is the same turn. */
  async function send(question: Question): Promise<boolean> {
    const { model, modelKey } = requested()
    const isRepeated = !hasArrived && JSON.stringify(question) === JSON.stringify(unconfirmed?.question)
    const requestId = isRepeated && unconfirmed ? unconfirmed.requestId : newRequestId()
    const body = { ...question, model, request_id: requestId }
    const post = () => api.call("POST /api/v1/sessions/{id}/chat", { path, body, modelKey, response: Started })
    setSending(question)
    setError(null)
    try {
      await onceMoreIfLost(post)
      setUnconfirmed(null)
      return true
    } catch (failed) {
      setError(failed)
      setUnconfirmed(isLost(failed) ? { requestId, question } : null)
      return false
    } finally {
      setSending(null)
    }
  }

  async function select(files: string[]): Promise<void> {
    const key = chatKey(sessionId)
    client.setQueryData<{ pages: ChatView[] }>(key, (data) => data && withSelection(data, files))
    try {
      const body = { files }
      const { refused } = await api.call("PUT /api/v1/sessions/{id}/chat/selection", { path, body, response: Selected })
      for (const { path: file, reason } of refused) toast(`${file} can't be selected: it is ${reasons[reason]}.`, "err")
    } catch (failed) {
      toast(messageOf(failed), "err")
      client.invalidateQueries({ queryKey: key })
    }
  }

  async function stop(requestId: string): Promise<void> {
    const place = { ...path, request: requestId }
    // One that ended meanwhile needs no stop.
    await api
      .call("POST /api/v1/sessions/{id}/chat/{request}/cancel", { path: place, response: anything })
      .catch((failed) => (failed.status === 404 ? null : toast(messageOf(failed), "err")))
  }

  async function begin(): Promise<void> {
    await api
      .call("POST /api/v1/sessions/{id}/chat/new", { path, response: anything })
      .catch((failed) => toast(messageOf(failed), "err"))
  }

  async function load(chatId: string): Promise<void> {
    const body = { session_id: chatId }
    await api
      .call("POST /api/v1/sessions/{id}/chat/load", { path, body, response: anything })
      .catch((failed) => toast(messageOf(failed), "err"))
  }

  /** Commits the files, with a message that a small model writes. Asked again after a lost answer, it is the same turn. */
  async function commit(): Promise<void> {
    const { model, modelKey } = requested()
    const { current: lost } = unconfirmedCommit
    const isRepeated = lost !== null && lost.model === model && !isInChat(lost.requestId)
    const requestId = isRepeated ? lost.requestId : newRequestId()
    const body = { model, request_id: requestId }
    const post = () => api.call("POST /api/v1/sessions/{id}/chat/commit", { path, body, modelKey, response: Started })
    // Until it is answered: a second press meanwhile is the same commit.
    unconfirmedCommit.current = { requestId, model }
    try {
      await onceMoreIfLost(post)
      unconfirmedCommit.current = null
    } catch (failed) {
      toast(messageOf(failed), "err")
      if (!isLost(failed)) unconfirmedCommit.current = null
    }
  }

  /** Takes the session's files back to the last commit. */
  async function reset(): Promise<void> {
    const body = { confirm: true as const }
    await change(() => api.call("POST /api/v1/sessions/{id}/chat/reset", { path, body, response: anything }))
  }

  /** Does what changes the chat or its files as a whole. Resolves to whether it was done or, in a repository, has begun. */
  async function change(post: () => Promise<unknown>): Promise<boolean> {
    try {
      await post()
      // Until the chat says that it is under way, a message could be sent that would be refused.
      await client.invalidateQueries({ queryKey: chatKey(sessionId) })
      return true
    } catch (failed) {
      toast(messageOf(failed), "err")
      return false
    }
  }

  /** Shows the model a page no longer. */
  async function forgetPage(url: string): Promise<void> {
    await api
      .call("DELETE /api/v1/sessions/{id}/chat/urls", { path, query: { url }, response: anything })
      .catch((failed) => toast(messageOf(failed), "err"))
  }

  /** Has the next turn deal its context out anew. */
  async function rebuild(): Promise<void> {
    try {
      await api.call("POST /api/v1/sessions/{id}/chat/context/rebuild", { path, response: anything })
      toast("The next message deals the context out anew.")
    } catch (failed) {
      toast(messageOf(failed), "err")
    }
  }

  /** Takes the edits of a turn's answer back. */
  async function undo(requestId: string): Promise<void> {
    const place = { ...path, request: requestId }
    await change(() => api.call("POST /api/v1/sessions/{id}/chat/{request}/undo", { path: place, response: anything }))
  }

  /** Resolves to whether it was done or, in a repository, has begun. */
  async function rewind(toSeq: number): Promise<boolean> {
    const body = { to_seq: toSeq, files: true }
    return change(() => api.call("POST /api/v1/sessions/{id}/chat/rewind", { path, body, response: anything }))
  }

  /** Resolves to the new session, which is being filled. */
  async function fork(toSeq: number): Promise<string | null> {
    const request = { path, body: { to_seq: toSeq }, idempotencyKey: crypto.randomUUID(), response: Forked }
    try {
      return (await onceMoreIfLost(() => api.call("POST /api/v1/sessions/{id}/chat/fork", request))).id
    } catch (failed) {
      toast(messageOf(failed), "err")
      return null
    }
  }

  /** Throws why it can't begin. What it comes to then, the chat says. */
  async function beginReview(of: { base: string | null; tip: string | null }): Promise<void> {
    await api.call("POST /api/v1/sessions/{id}/chat/review", { path, body: of, response: anything })
    await client.invalidateQueries({ queryKey: chatKey(sessionId) })
  }

  async function endReview(): Promise<void> {
    await api
      .call("DELETE /api/v1/sessions/{id}/chat/review", { path, response: anything })
      .catch((failed) => toast(messageOf(failed), "err"))
  }

  return {
    beginReview,
    endReview,
    commit,
    reset,
    forgetPage,
    rebuild,
    undo,
    rewind,
    fork,
    send,
    sending,
    error: hasArrived ? null : error,
    /** A question whose acceptance was lost on its way here, and which turned out to be in the conversation. */
    arrived: hasArrived ? unconfirmed.question : null,
    forgetArrived: () => setUnconfirmed(null),
    select,
    stop,
    begin,
    load,
  }
}

export type ChatActions = ReturnType<typeof useChatActions>

const reasons = { missing: "not there", binary: "no text", folder: "a folder" }

function withSelection<T extends { pages: ChatView[] }>(data: T, files: string[]): T {
  const [newest, ...pages] = data.pages
  return newest ? { ...data, pages: [{ ...newest, selected_files: files }, ...pages] } : data
}

/** Asks again where the answer was lost: the request has an id, so that it counts once. */
function onceMoreIfLost<T>(post: () => Promise<T>): Promise<T> {
  return post().catch((failed) => (isLost(failed) ? post() : Promise.reject(failed)))
}

/** Whether the server's answer was lost, so that what was asked for may have begun. */
function isLost(failed: unknown): boolean {
  return failed instanceof ApiError && failed.status === 0
}

function newRequestId(): string {
  const random = crypto.getRandomValues(new Uint8Array(5))
  return `${Date.now()}-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

function messageOf(failed: unknown): string {
  return errorText(failed)
}
