import type { Board } from "@switchyard/core/work/teams/request-schema"
import { type FormEvent, useState } from "react"
import { errorText } from "../../../api/error-text.ts"
import { useBrowser, useStudio, useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { isSubmitKey, isTouchScreen } from "../../../ui/submit-key.ts"
import { board } from "../data/responses.ts"
import { addressed } from "./recipient.ts"

interface Props {
  board: Board
  /** The reason why nothing can be written now; null when it can. */
  blocked: string | null
}

/** The next message to the team: to the coordinator, unless it begins with @ and the name of a worker. */
export function TeamComposer({ board: { team, workers }, blocked }: Props) {
  const { api } = useStudio()
  const toast = useToast()
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  const [draft, write] = useState("")
  const isEmpty = draft.trim() === ""

  async function submit(event?: FormEvent): Promise<void> {
    event?.preventDefault()
    if (isEmpty || blocked !== null) return
    try {
      await api.call("POST /api/v1/teams/{id}/send", {
        path: { id: team.id },
        body: addressed(draft, workers),
        response: board,
      })
      write("")
    } catch (error) {
      toast(errorText(error), "err")
    }
  }

  return (
    <form aria-label="Next message" onSubmit={submit} className="flex items-end gap-2 border-t border-line p-3">
      <label htmlFor="team-message" className="unseen">
        Message
      </label>
      <textarea
        id="team-message"
        rows={1}
        value={draft}
        readOnly={blocked !== null}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => {
          if (!isSubmitKey(event.nativeEvent, { enterSends, touch: isTouchScreen() })) return
          event.preventDefault()
          submit()
        }}
        placeholder={blocked ?? placeholderOf(workers)}
        className="field-sizing-content max-h-40 min-h-9 w-full resize-none rounded-md border border-strong bg-sheet px-3 py-1.5 read-only:text-ink-2"
      />
      <Button type="submit" tone="primary" disabled={isEmpty || blocked !== null}>
        Send
      </Button>
    </form>
  )
}

function placeholderOf([worker]: Board["workers"]): string {
  return worker ? `Write to the coordinator, or to @${worker.name}` : "Write to the coordinator"
}
