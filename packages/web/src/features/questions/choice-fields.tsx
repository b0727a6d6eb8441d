import type { Answer } from "@switchyard/core/agents/questions/schema"
import { type ReactNode, useState } from "react"
import type { QuestionContent } from "../../session/stream/agent.ts"
import { Button } from "../../ui/button.tsx"
import { Form } from "../../ui/form.tsx"

type Questions = Extract<QuestionContent, { kind: "choice" }>["questions"]

interface Props {
  questions: Questions
  blocked: boolean
  onAnswer(answer: Answer): void
  /** Replaces the button that leaves the decision to the agent. */
  children?: ReactNode
}

/** The options for an agent's questions: one each, or several if the question allows it. */
export function ChoiceFields({ questions, blocked, onAnswer, children }: Props) {
  const [chosen, setChosen] = useState<Record<string, string[]>>({})
  const choose = (question: string, label: string, multi: boolean) => {
    const before = chosen[question] ?? []
    const without = before.filter((one) => one !== label)
    const several = without.length === before.length ? [...before, label] : without
    setChosen({ ...chosen, [question]: multi ? several : [label] })
  }
  const isComplete = questions.every(({ question }) => (chosen[question] ?? []).length > 0)
  return (
    <Form
      className="mt-2"
      onSubmit={() => {
        const answers = Object.fromEntries(Object.entries(chosen).map(([asked, labels]) => [asked, labels.join(", ")]))
        onAnswer({ choice: "allow", answers })
      }}
    >
      {questions.map(({ question, options, multi }) => (
        <fieldset key={question} disabled={blocked} className="mb-2">
          <legend className={questions.length > 1 ? "font-semibold" : "unseen"}>{question}</legend>
          {options.map(({ label, description }) => (
            <label key={label} className="flex min-h-6 items-baseline gap-2 max-md:min-h-11">
              <input
                type={multi ? "checkbox" : "radio"}
                name={question}
                checked={(chosen[question] ?? []).includes(label)}
                onChange={() => choose(question, label, multi)}
              />
              <span>
                {label} {description && <span className="text-ink-2">{description}</span>}
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      <span className="flex gap-2">
        <Button size="sm" type="submit" tone="primary" disabled={blocked || !isComplete}>
          Answer
        </Button>
        {children ?? (
          <Button size="sm" tone="quiet" disabled={blocked} onClick={() => onAnswer({ choice: "deny" })}>
            Let the agent decide
          </Button>
        )}
      </span>
    </Form>
  )
}
