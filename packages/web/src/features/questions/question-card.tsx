import { ruleText } from "@switchyard/core/agents/permissions/rule-text"
import type { Answer } from "@switchyard/core/agents/questions/schema"
import { showBidiControls } from "@switchyard/core/text/bidi-controls"
import { questionTitle } from "@switchyard/core/work/headlines/question-title"
import { type ReactNode, useId, useState } from "react"
import { anything } from "../../api/decode.ts"
import { useAreLettersHeld, useCommand } from "../../session/context/commands.ts"
import { useStudio } from "../../session/context/studio.ts"
import type { QuestionContent } from "../../session/stream/agent.ts"
import { Button } from "../../ui/button.tsx"
import { Form } from "../../ui/form.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { ErrorNotice } from "../../ui/notice.tsx"
import { useAttempt } from "../../ui/use-attempt.ts"
import { budgetSubject } from "../usage/budget-subjects.ts"
import { AnswerField } from "./answer-field.tsx"
import { ChangeLines } from "./change-lines.tsx"
import { ChoiceFields } from "./choice-fields.tsx"
import { TextField } from "./text-field.tsx"

const WorkBudgetDialog = lazyPart(async () => (await import("../usage/work-budget-dialog.tsx")).WorkBudgetDialog)

interface Props {
  sessionId: string
  questionId: string
  /** The run that is asking. */
  runId: string | null
  /** Undefined if its text is no longer available. */
  content: QuestionContent | undefined
  /** The agent or session that is asking, if that isn't obvious. */
  asker?: ReactNode
  /** Why it can't be answered here; null if it can. */
  readOnly: string | null
  /** True if the shortcuts for answers apply to it: only to the first question shown. */
  hasKeys: boolean
}

/** An agent's question, with everything needed to decide, and the possible answers. */
export function QuestionCard({ sessionId, questionId, runId, content, asker, readOnly, hasKeys }: Props) {
  const title = useId()
  const { answer, sending, error } = useAnswer({ sessionId, questionId })
  const [budgeting, setBudgeting] = useState(false)
  const blocked = readOnly !== null || sending
  const budget = content?.kind === "choice" ? content.budget : undefined
  return (
    <section
      aria-labelledby={title}
      data-question={questionId}
      tabIndex={-1}
      className="border-l-4 border-need bg-need-bg py-2 pr-3 pl-3 text-sm text-ink"
    >
      {asker && <p className="mb-0.5 text-xs text-ink-2">{asker}</p>}
      <h2 id={title} className="font-semibold wrap-anywhere">
        {questionTitle(content)}
      </h2>
      {content?.kind === "permission" && <Details content={content} />}
      {content?.kind === "plan" && <Quoted>{content.plan}</Quoted>}
      {content?.kind === "choice" ? (
        <ChoiceFields questions={content.questions} blocked={blocked} onAnswer={answer}>
          {content.budget && (
            <Button size="sm" tone="quiet" disabled={blocked} onClick={() => setBudgeting(true)}>
              Other amount…
            </Button>
          )}
        </ChoiceFields>
      ) : content?.kind === "text" ? (
        <TextField blocked={blocked} onAnswer={answer} />
      ) : (
        <Answers content={content} blocked={blocked} hasKeys={hasKeys} onAnswer={answer} />
      )}
      <ErrorNotice error={error} />
      {/* A separate form, because it can't be nested in that of the answers. */}
      {budget && budgeting && (
        <WorkBudgetDialog
          subjects={[budgetSubject(sessionId, budget.scope === "run" ? runId : null)]}
          onClose={() => setBudgeting(false)}
        />
      )}
    </section>
  )
}

function Details({ content }: { content: Extract<QuestionContent, { kind: "permission" }> }) {
  const { command, diff, args, paths } = content
  return (
    <>
      {command?.includes("\n") && <Quoted>{command}</Quoted>}
      {diff !== undefined && <ChangeLines text={diff} path={paths?.[0] ?? ""} />}
      {args !== undefined && <Quoted>{args}</Quoted>}
    </>
  )
}

function Quoted({ children }: { children: string }) {
  return (
    <pre className="mt-1.5 max-h-48 overflow-auto rounded-sm border border-line bg-sheet p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
      {showBidiControls(children)}
    </pre>
  )
}

interface AnswersProps {
  content: QuestionContent | undefined
  blocked: boolean
  hasKeys: boolean
  onAnswer(answer: Answer): void
}

function Answers({ content, blocked, hasKeys, onAnswer }: AnswersProps) {
  const [text, setText] = useState("")
  const deny = () => onAnswer({ choice: "deny", ...(text.trim() && { text }) })
  const isPlan = content?.kind === "plan"
  const isEdit = content?.kind === "permission" && (content.tool === "edit" || content.tool === "write")
  const rule = content?.kind === "permission" ? content.rule : undefined
  const ruleId = useId()
  const offered = hasKeys && !blocked
  useCommand("question.allow", "Allow request", offered ? () => onAnswer({ choice: "allow" }) : null)
  useCommand("question.deny", "Deny request", offered ? deny : null)
  useCommand(
    "question.session",
    "Allow for this session",
    offered && rule ? () => onAnswer({ choice: "allow_session" }) : null,
  )
  return (
    <Form className="mt-2 flex flex-wrap items-center gap-2" blocked={blocked} onSubmit={deny}>
      <Button size="sm" tone="primary" disabled={blocked} onClick={() => onAnswer({ choice: "allow" })}>
        {isPlan ? "Approve and review edits" : "Allow"} <Key shown={hasKeys}>A</Key>
      </Button>
      {rule && (
        <Button
          size="sm"
          disabled={blocked}
          aria-describedby={ruleId}
          onClick={() => onAnswer({ choice: "allow_session" })}
        >
          Allow for this session <Key shown={hasKeys}>S</Key>
        </Button>
      )}
      {(isPlan || isEdit) && (
        <Button size="sm" disabled={blocked} onClick={() => onAnswer({ choice: "allow_all" })}>
          {isPlan ? "Approve and allow all edits" : "Allow all edits"}
        </Button>
      )}
      <span className="flex min-w-0 flex-1 basis-64 items-center gap-2">
        <AnswerField
          label="Deny with instructions"
          placeholder="Deny with instructions…"
          text={text}
          blocked={blocked}
          onWrite={setText}
        />
        <Button size="sm" type="submit" tone="danger" disabled={blocked}>
          Deny <Key shown={hasKeys}>D</Key>
        </Button>
      </span>
      {rule && (
        <p
          id={ruleId}
          className="max-h-24 basis-full overflow-auto text-xs wrap-anywhere whitespace-pre-wrap text-ink-2"
        >
          Allow for this session: {ruleText(rule)}
        </p>
      )}
    </Form>
  )
}

/** The shortcut for the same answer, for sighted users. The help lists it for everyone. */
function Key({ shown, children }: { shown: boolean; children: string }) {
  const isHeld = useAreLettersHeld()
  return (
    shown &&
    !isHeld && (
      <kbd aria-hidden className="border-current opacity-70 max-md:hidden">
        {children}
      </kbd>
    )
  )
}

/** Answers a question. If someone else answered first, says so. */
function useAnswer({ sessionId, questionId }: { sessionId: string; questionId: string }) {
  const { api } = useStudio()
  const { attempt, busy, error } = useAttempt()
  // The question is shown until the log reports its answer.
  const [isAnswered, setAnswered] = useState(false)

  async function answer(body: Answer): Promise<void> {
    const path = { id: sessionId, question: questionId }
    const call = { path, body, response: anything }
    setAnswered(await attempt(() => api.call("POST /api/v1/sessions/{id}/questions/{question}/answer", call)))
  }

  return { answer, sending: busy || isAnswered, error }
}
