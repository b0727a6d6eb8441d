import type { Board } from "@switchyard/core/work/teams/request-schema"
import { needsConsent } from "../../../api/client.ts"
import { anything } from "../../../api/decode.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { useListedSession } from "../../../session/list/use-sessions.ts"
import { useModel } from "../../../session/models/use-model.ts"
import { useDraftPrompt } from "../../../session/view/use-draft-prompt.ts"
import { useAttempt } from "../../../ui/use-attempt.ts"
import { Composer } from "../../conversation/composer.tsx"
import { useImages } from "../../images/use-images.ts"

/** Types of workers that aren't programs: models and commands. */
const OTHERS: ReadonlySet<string> = new Set(["harnessed", "autonomous"])

interface Props {
  board: Board
  /** Why nothing can be started now; null if it can. */
  blocked: string | null
}

/** Starts a follow-up of a finished team in the same session, with its coordinator, programs, commands and modes. */
export function FollowUpComposer({ board: { team, workers, worker_commands }, blocked }: Props) {
  const { api } = useStudio()
  const { requested } = useModel()
  const { draft: goal, write, forget } = useDraftPrompt(`${team.id}.team`)
  const images = useImages()
  const { attempt, busy, error } = useAttempt()
  const consent = needsConsent(error)
  const isRepository = Boolean(useListedSession(team.id)?.repository)

  async function submit(): Promise<void> {
    const { model, modelKey } = requested()
    // The demo's program works without a repository. Other programs need one.
    const programs = isRepository ? workers.map(({ type }) => type).filter((type) => !OTHERS.has(type)) : []
    const body = {
      ...{ goal, images: images.images, workspace_id: team.id, consent, worker_commands },
      ...(team.coordinator === null ? { model: model ?? team.model } : { coordinator: team.coordinator }),
      ...{ mode: team.mode, permission_mode: team.permission_mode ?? "ask" },
      coding_agents: [...new Set(programs)],
    }
    const isStarted = await attempt(() => api.call("POST /api/v1/teams", { body, modelKey, response: anything }))
    if (!isStarted) return
    forget()
    images.forget()
  }

  return (
    <Composer
      name="Follow-up"
      className="border-t border-line p-3"
      command="Start follow-up"
      label="Next goal"
      rows={1}
      value={goal}
      readOnly={blocked !== null}
      onChange={write}
      placeholder={blocked ?? "What should the team do next?"}
      action={consent ? "Allow and start" : "Start"}
      onSend={blocked !== null || busy || goal.trim() === "" ? null : submit}
      busy={busy && "Starting"}
      error={error}
      images={images}
      above={
        <p className="mb-2 text-sm text-ink-2">
          {team.status === "failed" ? "The team stopped with an error." : "Team finished."} Start a follow-up to
          continue with the same files.
        </p>
      }
    />
  )
}
