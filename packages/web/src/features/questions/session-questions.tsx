import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { QuestionCard } from "./question-card.tsx"

interface Props {
  /** Returns the name of a team's worker, which its agent doesn't have. */
  workerName?(agentId: string): string | undefined
}

/** The questions from a session's agents, oldest first. */
export function SessionQuestions({ workerName }: Props) {
  const readOnly = useReadOnly()
  const { sessionId } = useShownSession()
  const agents = useSessionData(({ shown }) => shown.agents)
  const questions = Object.values(agents).flatMap(({ agent }) =>
    agent.questions.map((question) => {
      const { agentId } = question
      return { ...question, asker: agent.name ?? workerName?.(agentId) ?? agentId }
    }),
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
