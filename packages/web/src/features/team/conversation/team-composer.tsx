import type { Board } from "@switchyard/core/work/teams/request-schema"
import { useState } from "react"
import { MessageField } from "../../../session/context/message-field.tsx"
import { useStudio, useTold } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { Form } from "../../../ui/form.tsx"
import { board } from "../data/responses.ts"
import { addressed } from "./recipient.ts"

interface Props {
  board: Board
  /** Why nothing can be written now; null if it can. */
  blocked: string | null
}

/** The next message to the team. It goes to the coordinator, unless it begins with @ and a worker's name. */
export function TeamComposer({ board: { team, workers }, blocked }: Props) {
  const { api } = useStudio()
  const told = useTold()
  const [draft, write] = useState("")
  const isEmpty = draft.trim() === ""

  async function submit(): Promise<void> {
    if (isEmpty || blocked !== null) return
    const request = { path: { id: team.id }, body: addressed(draft, workers), response: board }
    if (await told(api.call("POST /api/v1/teams/{id}/send", request))) write("")
  }

  return (
    <Form aria-label="Next message" className="flex items-end gap-2 border-t border-line p-3" onSubmit={submit}>
      <MessageField
        label="Message"
        rows={1}
        value={draft}
        readOnly={blocked !== null}
        onChange={write}
        onSubmit={submit}
        placeholder={blocked ?? placeholderOf(workers)}
        className="field-sizing-content max-h-40 min-h-9 w-full resize-none rounded-md border border-strong bg-sheet px-3 py-1.5 read-only:text-ink-2"
      />
      <Button type="submit" tone="primary" disabled={isEmpty || blocked !== null}>
        Send
      </Button>
    </Form>
  )
}

function placeholderOf([worker]: Board["workers"]): string {
  return worker ? `Write to the coordinator, or to @${worker.name}` : "Write to the coordinator"
}
