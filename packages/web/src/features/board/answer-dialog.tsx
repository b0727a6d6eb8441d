import { keepPreviousData } from "@tanstack/react-query"
import { useEffect } from "react"
import type { Session } from "../../api/session.ts"
import { useResponse } from "../../session/context/requests.ts"
import { paths } from "../../session/context/routes.ts"
import { Dialog } from "../../ui/dialog.tsx"
import { ErrorNotice, Skeleton } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { QuestionCard } from "../questions/question-card.tsx"

const list = async () => (await import("@switchyard/core/agents/questions/schema")).QuestionList

interface Props {
  session: Session
  /** Sessions that need an answer after this one. */
  left: number
  /** Called once the session has no open questions. */
  onAnswered(): void
  onClose(): void
}

/** The open questions of a session, to answer without opening the session. Goes on to the next session by itself. */
export function AnswerDialog({ session, left, onAnswered, onClose }: Props) {
  const { id, name, open_questions } = session
  const call = { path: { id }, response: list }
  const { data, error } = useResponse(["questions", id, open_questions], "GET /api/v1/sessions/{id}/questions", call, {
    // The cards remain while another question is loaded, with what was typed in them.
    placeholderData: keepPreviousData,
  })
  const isAnswered = open_questions === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once, when the last question is answered
  useEffect(() => {
    if (isAnswered) onAnswered()
  }, [isAnswered])
  return (
    <Dialog title={name} onClose={onClose} wide>
      <ErrorNotice error={error} />
      {!data && !error && <Skeleton lines={4} />}
      <ul className="flex flex-col gap-3">
        {data?.questions.map(({ question_id, run_id, agent_id, agent_name, question }) => (
          <li key={question_id}>
            <QuestionCard
              sessionId={id}
              questionId={question_id}
              runId={run_id}
              content={question}
              asker={agent_name === agent_id ? undefined : `Agent ${agent_name}`}
              readOnly={null}
              hasKeys={false}
            />
          </li>
        ))}
      </ul>
      <p className="mt-3 flex justify-between gap-3 text-sm text-ink-3">
        <TextLink href={paths.session(id)}>Open session</TextLink>
        {left > 0 && <span>{left} more after this one</span>}
      </p>
    </Dialog>
  )
}
