import type { Answer } from "@switchyard/core/agents/questions/schema"
import { useState } from "react"
import { anything } from "../../api/decode.ts"
import { errorText } from "../../api/error-text.ts"
import { useStudio } from "../../session/context/studio.ts"

/** Answers a question. Somebody else's answer that came first is told as such. */
export function useAnswer({ sessionId, questionId }: { sessionId: string; questionId: string }) {
  const { api } = useStudio()
  const [sending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)

  async function answer(body: Answer): Promise<void> {
    setSending(true)
    setError(null)
    try {
      const path = { id: sessionId, question: questionId }
      await api.call("POST /api/v1/sessions/{id}/questions/{question}/answer", { path, body, response: anything })
    } catch (failure) {
      setError(errorText(failure))
      setSending(false)
    }
  }

  return { answer, sending, error }
}
