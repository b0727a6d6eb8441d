import { type AgentContext, methods, RequestError, type RequestPermissionRequest } from "@agentclientprotocol/sdk"
import { QuestionContent } from "@switchyard/core/agents/questions/schema"
import type { SessionEvent } from "@switchyard/core/events"
import type { Api } from "../api/api.ts"
import { isRefusal } from "../errors/errors.ts"
import { answerOf, choicesOf } from "./permission.ts"

/** JSON-RPC error code of a cancelled request. */
const REQUEST_CANCELLED = -32800

/**
 * Events after which the run no longer waits for an answer from this editor. After `question_kept`, an answer is
 * delivered as a message.
 */
const SETTLED: ReadonlySet<string> = new Set(["question_answered", "question_withdrawn", "question_kept"])

/** Creates the object that asks the questions of one run in the editor. */
export function createQuestions(
  { api, notice }: { api: Api; notice: (text: string) => void },
  run: { sessionId: string; client: AgentContext; turn: AbortSignal; signal: AbortSignal },
) {
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
      // If the turn was cancelled, its questions are withdrawn. If the user cancelled only this question, the
      // cancellation counts as a denial.
      if (outcome.outcome === "cancelled" && turn.aborted) return
      chosen.push(outcome.outcome === "selected" ? outcome.optionId : "deny")
    }
    await api.answer({ sessionId, questionId }, answerOf(question, chosen), { signal })
  }

  /** Reports an error, unless the question was answered elsewhere or the client has disconnected. */
  function report(error: unknown): void {
    if (error instanceof RequestError && error.code === REQUEST_CANCELLED) return
    if (isRefusal(error, "question_answered") || isRefusal(error, "question_not_found")) return
    if (run.signal.aborted) return
    const reason = error instanceof Error ? error.message : String(error)
    notice(`A question couldn't be asked in the editor: ${reason} Answer it in the studio.`)
  }

  return {
    /**
     * Asks the question in an event. If the event shows that a question needs no answer any more, for example because
     * another client answered it, withdraws that question.
     */
    take(event: SessionEvent): void {
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
    /** Withdraws all questions from the editor. They can still be answered in other clients. */
    close: (): void => over.abort(),
  }
}
