import type { Answer } from "@switchyard/core/agents/questions/schema"
import { useState } from "react"
import { Button } from "../../ui/button.tsx"
import { Form } from "../../ui/form.tsx"
import { AnswerField } from "./answer-field.tsx"

/** A free-text answer to an agent's question. */
export function TextField({ blocked, onAnswer }: { blocked: boolean; onAnswer(answer: Answer): void }) {
  const [text, setText] = useState("")
  return (
    <Form
      className="mt-2 flex flex-wrap items-center gap-2"
      blocked={text.trim() === ""}
      onSubmit={() => onAnswer({ choice: "allow", text })}
    >
      <AnswerField label="Your answer" placeholder="Your answer" text={text} blocked={blocked} onWrite={setText} />
      <Button size="sm" type="submit" tone="primary" disabled={blocked || text.trim() === ""}>
        Answer
      </Button>
      <Button size="sm" tone="quiet" disabled={blocked} onClick={() => onAnswer({ choice: "deny" })}>
        Let the agent decide
      </Button>
    </Form>
  )
}
