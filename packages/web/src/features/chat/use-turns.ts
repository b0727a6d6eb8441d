import { useRef, useState } from "react"
import { ApiError } from "../../api/client.ts"
import { object, text } from "../../api/decode.ts"
import { useStudio, useToast } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { errorText } from "../../ui/error-text.ts"
import type { ChatMessage } from "./use-chat.ts"

const Started = object({ request_id: text, run_id: text })

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

/** The actions that begin a turn of the model: a question, or a commit whose message it writes. */
export function useTurns(messages: readonly ChatMessage[]) {
  const { sessionId } = useShownSession()
  const { api } = useStudio()
  const toast = useToast()
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

  /** Commits the files, with a message that a small model writes. Asked again after a lost answer, it is the same turn. */
  async function commit(): Promise<void> {
    const { model, modelKey } = requested()
    const { current: lost } = unconfirmedCommit
    const isRepeated = lost !== null && lost.model === model && !isInChat(lost.requestId)
    const requestId = isRepeated ? lost.requestId : newRequestId()
    const body = { model, request_id: requestId }
    // Until it is answered: a second press meanwhile is the same commit.
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
    /** A question whose acceptance was lost on its way here, and which turned out to be in the conversation. */
    arrived: hasArrived ? unconfirmed.question : null,
    forgetArrived: () => setUnconfirmed(null),
  }
}

/** Asks again where the answer was lost: the request has an id, so that it counts once. */
export function onceMoreIfLost<T>(post: () => Promise<T>): Promise<T> {
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
