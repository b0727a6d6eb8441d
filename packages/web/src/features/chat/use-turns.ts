import { useRef, useState } from "react"
import { ApiError } from "../../api/client.ts"
import { object, text } from "../../api/decode.ts"
import { useToast } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { errorText } from "../../ui/error-text.ts"
import type { AttachedImage } from "../images/attached-image.ts"
import type { ChatMessage } from "./use-chat.ts"

const Started = object({ request_id: text, run_id: text })

export interface Question {
  message: string
  images: AttachedImage[]
  /** Addresses in the message that should not be read. */
  excluded_urls: string[]
}

/** A question that the server may or may not have accepted, because its response was lost. */
interface UnconfirmedTurn {
  requestId: string
  question: Question
}

/** Actions that begin a turn: a question, or a commit whose message is written by the model. */
export function useTurns(messages: readonly ChatMessage[]) {
  const { sessionId, api } = useShownSession()
  const toast = useToast()
  const { requested } = useModel()
  const [sending, setSending] = useState<Question | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [unconfirmed, setUnconfirmed] = useState<UnconfirmedTurn | null>(null)
  const unconfirmedCommit = useRef<{ requestId: string; model: string | null } | null>(null)
  const path = { id: sessionId }
  const isInChat = (requestId: string) => messages.some(({ request_id }) => request_id === requestId)
  const hasArrived = unconfirmed !== null && isInChat(unconfirmed.requestId)

  /** Resolves to true if the turn began. Resending a question after a lost response doesn't start a second turn. */
  async function send(question: Question): Promise<boolean> {
    const { model, modelKey } = requested()
    const isRepeated = !hasArrived && JSON.stringify(question) === JSON.stringify(unconfirmed?.question)
    const requestId = isRepeated && unconfirmed ? unconfirmed.requestId : newRequestId()
    const body = { ...question, model, request_id: requestId }
    setSending(question)
    setError(null)
    try {
      await onceMoreIfLost(() =>
        api.call("POST /api/v1/sessions/{id}/chat", { path, body, modelKey, response: Started }),
      )
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

  /**
   * Commits the files with a message written by a small model. Retrying after a lost response doesn't start a second
   * turn.
   */
  async function commit(): Promise<void> {
    const { model, modelKey } = requested()
    const { current: lost } = unconfirmedCommit
    const isRepeated = lost !== null && lost.model === model && !isInChat(lost.requestId)
    const requestId = isRepeated ? lost.requestId : newRequestId()
    const body = { model, request_id: requestId }
    // Set until there is a response, so that pressing again meanwhile repeats the same commit.
    unconfirmedCommit.current = { requestId, model }
    try {
      await onceMoreIfLost(() =>
        api.call("POST /api/v1/sessions/{id}/chat/commit", { path, body, modelKey, response: Started }),
      )
      unconfirmedCommit.current = null
    } catch (failed) {
      toast(errorText(failed), "err")
      if (!isLost(failed)) unconfirmedCommit.current = null
    }
  }

  return {
    send,
    commit,
    sending,
    error: hasArrived ? null : error,
    /** A question whose response was lost, but which turned out to be in the conversation. */
    arrived: hasArrived ? unconfirmed.question : null,
    forgetArrived: () => setUnconfirmed(null),
  }
}

/** Repeats the request once if its response was lost. The request has an ID, so it counts only once. */
export function onceMoreIfLost<T>(post: () => Promise<T>): Promise<T> {
  return post().catch((failed) => (isLost(failed) ? post() : Promise.reject(failed)))
}

/** Returns true if the server's response was lost, so the request may have been executed. */
function isLost(failed: unknown): boolean {
  return failed instanceof ApiError && failed.status === 0
}

function newRequestId(): string {
  const random = crypto.getRandomValues(new Uint8Array(5))
  return `${Date.now()}-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}
