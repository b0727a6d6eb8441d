import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { QuestionCard } from "./question-card.tsx"

/** The questions of a session's agents, the oldest first. */
export function SessionQuestions({ session, readOnly }: { session: SessionStore; readOnly: string | null }) {
  const agents = useSessionData(session, ({ shown }) => shown.agents)
  const questions = Object.values(agents).flatMap(({ agent }) =>
    agent.questions.map((question) => ({ ...question, asker: agent.name ?? question.agentId })),
  )
  const isSeveral = Object.keys(agents).length > 1
  return questions.map(({ questionId, runId, content, asker }, at) => (
    <QuestionCard
      key={questionId}
      sessionId={session.sessionId}
      questionId={questionId}
      runId={runId}
      content={content}
      asker={isSeveral ? `Agent ${asker}` : undefined}
      readOnly={readOnly}
      hasKeys={at === 0}
    />
  ))
}
