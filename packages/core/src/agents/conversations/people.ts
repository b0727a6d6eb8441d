import { logName } from "../../kernel/keys.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { answerText } from "../questions/answer-text.ts"
import { keepQuestion } from "../questions/rules.ts"
import type { Answer, QuestionContent } from "../questions/schema.ts"
import type { Caller } from "./caller.ts"
import type { PeersDeps } from "./peers.ts"
import { askPerson, withdrawQuestion } from "./person-rules.ts"

interface Asking {
  signal: AbortSignal
  /** Aborts when the tool can't wait any longer. */
  enough: AbortSignal
}

/** Questions that an agent's tools ask people during a turn. Each method throws if a rule refuses the question. */
export type People = ReturnType<typeof createPeople>

export function createPeople(deps: PeersDeps, session: SessionLog, caller: Caller) {
  const { log, newId, moved } = deps

  /**
   * Asks a question, and waits for the answer until `enough` aborts. `giveUp` then decides what happens to the
   * question, unless it has just been answered.
   */
  async function askUntil(
    content: QuestionContent,
    { signal, enough }: Asking,
    giveUp: (questionId: string) => ReturnType<typeof keepQuestion>,
  ): Promise<Answer | undefined> {
    const questionId = newId("que")
    const [asked] = await session.decide(askPerson(caller, { questionId, content }), { signal })
    moved(caller.runId)
    const since = asked?.seq ?? 0
    const answer = await answerTo(questionId, since, AbortSignal.any([signal, enough]))
    signal.throwIfAborted()
    if (answer) return answer
    const events = await session.decide(giveUp(questionId), { signal })
    moved(caller.runId)
    return events.length > 0 ? undefined : answerTo(questionId, since, signal)
  }

  async function answerTo(questionId: string, since: number, signal: AbortSignal): Promise<Answer | undefined> {
    for await (const event of log.tail(logName(session.sid), since, { signal })) {
      if (event.type === "heartbeat" || !("question_id" in event) || event.question_id !== questionId) continue
      if (event.type === "question_answered") return event.answer
      if (event.type === "question_withdrawn") return undefined
    }
    return undefined
  }

  return {
    /** Returns the answer as text. Undefined if the answer will be delivered as a message. */
    async ask(content: QuestionContent, options: Asking): Promise<string | undefined> {
      const answer = await askUntil(content, options, keepQuestion)
      return answer && answerText(content, answer)
    },
    /** Asks a person for permission. If nobody answers in time, withdraws the question and returns undefined. */
    permit: (content: QuestionContent & { kind: "permission" }, options: Asking): Promise<Answer | undefined> =>
      askUntil(content, options, (id) => withdrawQuestion(id, "There was no answer in time.")),
  }
}
