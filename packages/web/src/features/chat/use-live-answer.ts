import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"

/** Whether an answer is arriving, or something is being done for one: nothing of it that changes with each word. */
export function useIsAnswering(session: SessionStore): boolean {
  return useSessionData(session, ({ live }) => {
    const turn = live.chat?.turn
    return turn != null && (turn.isCompacting || !turn.isAnswered || !turn.isSettled)
  })
}

/** The answer that is arriving, and what is being done for it; null when none is. */
export function useLiveAnswer(session: SessionStore, inFlight: string | null): { text: string; state: string } | null {
  const turn = useSessionData(session, ({ live }) => live.chat?.turn ?? null)
  const answer = useSessionData(session, ({ liveText }) => liveText.answer)
  const thinking = useSessionData(session, ({ liveText }) => liveText.answer?.thinking ?? 0)
  if (turn?.isCompacting) return { text: "", state: "Summarising the conversation" }
  if (!turn || turn.isAnswered) return turn && !turn.isSettled ? { text: "", state: "Applying the edits" } : null
  const isWhole = answer?.runId === turn.runId && answer.isWhole
  const text = isWhole ? answer.text : (inFlight ?? "")
  const state = text !== "" ? "Answering" : thinking > 0 ? "Thinking" : "Asking the model"
  return { text, state }
}
