import { useResponse } from "../../session/context/requests.ts"
import { paths } from "../../session/context/routes.ts"
import { useListedSession } from "../../session/list/use-sessions.ts"
import { MAIN } from "../../session/stream/run.ts"
import { Empty, ErrorNotice, Skeleton } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { QuestionCard } from "./question-card.tsx"

/** Everything that agents are waiting for people to decide, in all sessions. */
export function QuestionsScreen() {
  const { data, error } = useQuestions()
  const questions = data?.questions
  return (
    <div className="relative h-full overflow-y-auto" data-region="main" tabIndex={-1}>
      <div className="mx-auto max-w-3xl p-6 max-md:p-4">
        <h1 className="mb-4 text-xl font-semibold">Needs you</h1>
        <ErrorNotice error={error} />
        {!questions && !error && <Skeleton lines={4} />}
        {questions?.length === 0 && (
          <Empty title="Nothing needs you right now">Questions from agents appear here.</Empty>
        )}
        <ul className="flex flex-col gap-3">
          {questions?.map(({ question_id, run_id, session_id, agent_id, agent_name, question }, at) => (
            <li key={question_id}>
              <QuestionCard
                sessionId={session_id}
                questionId={question_id}
                runId={run_id}
                content={question}
                asker={<Asker sessionId={session_id} agentId={agent_id} agentName={agent_name} />}
                readOnly={null}
                hasKeys={at === 0}
              />
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function Asker({ sessionId, agentId, agentName }: { sessionId: string; agentId: string; agentName: string }) {
  const name = useListedSession(sessionId)?.name ?? "Session"
  // The main agent, and that of a build, have no name of their own.
  const isNamed = agentId !== MAIN && agentName !== agentId
  return (
    <>
      <TextLink href={isNamed ? paths.agent(sessionId, agentId) : paths.session(sessionId)}>{name}</TextLink>
      {isNamed && `, agent ${agentName}`}
    </>
  )
}

const list = async () => (await import("@switchyard/core/agents/questions/schema")).QuestionList

/** Loads the questions in all sessions. `SessionUpdates` refetches them when a session changes. */
function useQuestions() {
  return useResponse(["questions"], "GET /api/v1/questions", { response: list }, { staleTime: 0 })
}
