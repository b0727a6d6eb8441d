import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { QuestionCard } from "./question-card.tsx"

/** The questions from a session's agents, oldest first. */
export function SessionQuestions() {
  const readOnly = useReadOnly()
  const { sessionId } = useShownSession()
  const agents = useSessionData(({ shown }) => shown.agents)
  const questions = Object.values(agents).flatMap(({ agent }) =>
    agent.questions.map((question) => ({ ...question, asker: agent.name ?? question.agentId })),
  )
  const isSeveral = Object.keys(agents).length > 1
  return questions.map(({ questionId, runId, content, asker }, at) => (
    <QuestionCard
      key={questionId}
      sessionId={sessionId}
      questionId={questionId}
      runId={runId}
      content={content}
      asker={isSeveral ? `Agent ${asker}` : undefined}
      readOnly={readOnly}
      hasKeys={at === 0}
    />
  ))
}
