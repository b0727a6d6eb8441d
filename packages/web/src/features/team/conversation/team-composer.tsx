import type { Board } from "@switchyard/core/work/teams/request-schema"
import { useStudio } from "../../../session/context/studio.ts"
import { useDraftPrompt } from "../../../session/view/use-draft-prompt.ts"
import { useAttempt } from "../../../ui/use-attempt.ts"
import { Composer } from "../../conversation/composer.tsx"
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
  const { draft, write, forget } = useDraftPrompt(`${team.id}.team`)
  const { attempt, busy, error } = useAttempt()

  async function send(): Promise<void> {
    const request = { path: { id: team.id }, body: addressed(draft, workers), response: board }
    if (await attempt(() => api.call("POST /api/v1/teams/{id}/send", request))) forget()
  }

  return (
    <Composer
      name="Next message"
      className="border-t border-line p-3"
      command="Send message"
      label="Message"
      rows={1}
      value={draft}
      readOnly={blocked !== null}
      onChange={write}
      placeholder={blocked ?? placeholderOf(workers)}
      action="Send"
      onSend={blocked !== null || busy || draft.trim() === "" ? null : send}
      busy={busy && "Sending"}
      error={error}
    />
  )
}

function placeholderOf([worker]: Board["workers"]): string {
  return worker ? `Message the coordinator, or @${worker.name}` : "Message the coordinator"
}
