import { agentTitle } from "@switchyard/core/agents/clis/titles"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { NextQuestion } from "./next-question.tsx"
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
      const name = agent.name ?? workerName?.(agentId) ?? agentId
      return { ...question, asker: agentTitle(name, agent.cli) }
    }),
  )
  const isSeveral = Object.keys(agents).length > 1
  return (
    <>
      {questions.map(({ questionId, runId, content, asker }, at) => (
        <QuestionCard
          key={questionId}
          sessionId={sessionId}
          questionId={questionId}
          runId={runId}
          content={content}
          asker={isSeveral ? asker : undefined}
          readOnly={readOnly}
          hasKeys={at === 0}
        />
      ))}
      <NextQuestion isAsking={questions.length > 0} />
    </>
  )
}
