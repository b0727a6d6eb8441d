import type { Answer } from "@switchyard/core/agents/questions/schema"
import { type FormEvent, useId, useState } from "react"
import { Button } from "../../ui/button.tsx"
import { fieldClass } from "../../ui/field.tsx"

interface Props {
  blocked: boolean
  onAnswer(answer: Answer): void
}

/** The answer to an agent's question in words of one's own. */
export function TextField({ blocked, onAnswer }: Props) {
  const field = useId()
  const [text, setText] = useState("")
  return (
    <form
      className="mt-2 flex flex-wrap items-center gap-2"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        if (text.trim() !== "") onAnswer({ choice: "allow", text })
      }}
    >
      <label htmlFor={field} className="unseen">
        Your answer
      </label>
      <input
        id={field}
        value={text}
        maxLength={4000}
        disabled={blocked}
        onChange={(event) => setText(event.target.value)}
        placeholder="Your answer"
        className={`${fieldClass} h-7 min-w-0 flex-1 basis-64 px-2 text-sm max-md:h-11`}
      />
      <Button size="sm" type="submit" tone="primary" disabled={blocked || text.trim() === ""}>
        Answer
      </Button>
      <Button size="sm" tone="quiet" disabled={blocked} onClick={() => onAnswer({ choice: "deny" })}>
        Let the agent decide
      </Button>
    </form>
  )
}
