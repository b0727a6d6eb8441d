import { useRef } from "react"
import { Checkbox } from "../../ui/checkbox.tsx"
import { ModelPicker } from "../models/model-picker.tsx"
import { StartBudget } from "../usage/start-budget.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import { Composer } from "./composer.tsx"
import { ConsentNotice } from "./consent-notice.tsx"
import { useDemo } from "./demo-note.tsx"
import { TeamCommands } from "./team-commands.tsx"
import { TeamPrograms } from "./team-programs.tsx"
import type { useDraft } from "./use-draft.ts"
import { useTeamGoal } from "./use-team-goal.ts"

/** A goal for a team, with the programs that its workers may be. */
export function TeamForm({ draft }: { draft: ReturnType<typeof useDraft> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const isDemo = useDemo()
  const goal = useTeamGoal(draft)
  const { refusal } = goal
  return (
    <>
      <Composer
        label="The goal"
        placeholder="Describe what shall be reached"
        text={draft.text}
        onWrite={draft.write}
        action="Start"
        onRun={goal.blocked ? null : () => goal.start(false)}
        busy={goal.busy}
        autoFocus={false}
        field={field}
      >
        <ModelPicker className="-ml-2 h-8 border-transparent" />
      </Composer>
      <StartBudget form={goal.budget} onChange={goal.setBudget} of="the whole team" />
      {refusal?.about === "all" && <StartRefusal error={refusal.error} className="mt-3" />}
      {refusal?.about === "consent" && <ConsentNotice repository={goal.repository} onAgree={() => goal.start(true)} />}
      <TeamPrograms goal={goal} />
      <TeamCommands commands={goal.commands} onChange={goal.setCommands} />
      <div className="mt-3">
        <Checkbox
          label="Keep the team"
          hint="When the goal is reached, it waits for messages and triggers, and goes on."
          checked={goal.goesOn}
          onChange={goal.setGoesOn}
        />
      </div>
      {isDemo && goal.coordinator === "" && (
        <p className="mt-4 border-l-4 border-line pl-3 text-sm text-pretty text-ink-2">
          Without a real model, a built-in demo coordinates: workers make a small page about any goal, in five nodes.
        </p>
      )}
    </>
  )
}
