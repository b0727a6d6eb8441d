import { useRef } from "react"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"
import { ModelPicker } from "../models/model-picker.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { Composer } from "./composer.tsx"
import { useDemo } from "./demo-note.tsx"
import { useBegin } from "./use-begin.ts"
import type { useDraft } from "./use-draft.ts"

/** A goal for a team. */
export function TeamForm({ draft }: { draft: ReturnType<typeof useDraft> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const isDemo = useDemo()
  const { run, busy, failure } = useStart(draft)
  return (
    <>
      <Composer
        label="The goal"
        placeholder="Describe what shall be reached"
        text={draft.text}
        onWrite={draft.write}
        action="Start"
        onRun={busy || draft.text.trim() === "" ? null : run}
        busy={busy}
        autoFocus={false}
        field={field}
      >
        <ModelPicker className="-ml-2 h-8 border-transparent" />
      </Composer>
      {failure !== null && <StartRefusal error={failure} className="mt-3" />}
      {isDemo && (
        <p className="mt-4 border-l-4 border-line pl-3 text-sm text-pretty text-ink-2">
          Without a real model, a built-in demo coordinates: two workers make a small page about any goal, in five
          nodes.
        </p>
      )}
    </>
  )
}

function useStart(draft: ReturnType<typeof useDraft>) {
  const { api } = useStudio()
  const { requested } = useModel()
  return useBegin(draft, async () => {
    const { model, modelKey } = requested()
    const response = async () => (await import("@switchyard/core/work/teams/request-schema")).Team
    const team = await api.call("POST /api/v1/teams", { body: { goal: draft.text, model }, modelKey, response })
    return paths.team(team.id)
  })
}
