import { type AgentContext, methods, RequestError, type RequestPermissionRequest } from "@agentclientprotocol/sdk"
import { QuestionContent } from "@switchyard/core/agents/questions/schema"
import type { SessionEvent } from "@switchyard/core/events"
import type { Api } from "../api/api.ts"
import { isRefusal } from "../errors.ts"
import { answerOf, choicesOf } from "./permission.ts"

/** The questions of one run, asked in the editor. */
export interface Questions {
  /** Asks what an event asks, and stops asking what one has settled, wherever the answer came from. */
  take(event: SessionEvent): void
  /** Stops asking. What nobody has answered can be answered elsewhere. */
  close(): void
}

/** The code of a JSON-RPC answer to a request that was cancelled. */
const REQUEST_CANCELLED = -32800

/** After these nobody waits for an answer here: one to a question that was kept is a message. */
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
      // With the turn, its questions are withdrawn. A client that cancels alone doesn't want it.
      if (outcome.outcome === "cancelled" && turn.aborted) return
      chosen.push(outcome.outcome === "selected" ? outcome.optionId : "deny")
    }
    await api.answer({ sessionId, questionId }, answerOf(question, chosen), { signal })
  }

  /** Somebody else may be first, and a client may go away: neither is a fault. */
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
