import { type AgentContext, methods, RequestError, type RequestPermissionRequest } from "@agentclientprotocol/sdk"
import { QuestionContent } from "@switchyard/core/agents/questions/schema"
import type { SessionEvent } from "@switchyard/core/events"
import type { Api } from "../api/api.ts"
import { isRefusal } from "../errors/errors.ts"
import { answerOf, choicesOf } from "./permission.ts"

/** Questions of one run, asked in the editor. */
export interface Questions {
  /**
   * Asks the question of an event, or withdraws a question that the event settled. The answer may come from anywhere.
   */
  take(event: SessionEvent): void
  /** Withdraws all questions. They can still be answered elsewhere. */
  close(): void
}

/** JSON-RPC error code of a cancelled request. */
const REQUEST_CANCELLED = -32800

/** Events after which the run no longer waits for an answer here. The answer to a kept question is a message. */
const SETTLED: ReadonlySet<string> = new Set(["question_answered", "question_withdrawn", "question_kept"])

export function createQuestions(
  { api, notice }: { api: Api; notice: (text: string) => void },
  run: { sessionId: string; client: AgentContext; turn: AbortSignal; signal: AbortSignal },
): Questions {
  const asking = new Map<string, AbortController>()
  const over = new AbortController()

  async function ask(questionId: string, question: QuestionContent, settled: AbortSignal): Promise<void> {
    const { sessionId, client, turn, signal } = run
    const chosen: string[] = []
    for (const { title, options } of choicesOf(question)) {
      const toolCall = { toolCallId: questionId, ...(title !== undefined && { title }) }
      const request: RequestPermissionRequest = { sessionId, toolCall, options }
      const waiting = { cancellationSignal: settled, stopWaitingOnCancel: true }
      const { outcome } = await client.request(methods.client.session.requestPermission, request, waiting)
      // The end of the turn withdraws its questions. A client that only cancels the question denies it.
      if (outcome.outcome === "cancelled" && turn.aborted) return
      chosen.push(outcome.outcome === "selected" ? outcome.optionId : "deny")
    }
    await api.answer({ sessionId, questionId }, answerOf(question, chosen), { signal })
  }

  /** Reports an error, except an answer from elsewhere or a client that has left. */
  function report(error: unknown): void {
    if (error instanceof RequestError && error.code === REQUEST_CANCELLED) return
    if (isRefusal(error, "question_answered") || isRefusal(error, "question_not_found")) return
    if (run.signal.aborted) return
    const reason = error instanceof Error ? error.message : String(error)
    notice(`A question could not be asked in the editor: ${reason} Answer it in the studio.`)
  }

  return {
    take(event) {
      if (event.type === "question_asked") {
        const question = QuestionContent.safeParse(event.question).data
        if (!question) return
        const settled = new AbortController()
        asking.set(event.question_id, settled)
        void ask(event.question_id, question, AbortSignal.any([settled.signal, over.signal])).catch(report)
      } else if (SETTLED.has(event.type) && "question_id" in event) {
        asking.get(event.question_id)?.abort()
      }
    },
    close: () => over.abort(),
  }
}
