import { useState } from "react"
import { useModel } from "../../session/models/use-model.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Field } from "../../ui/field.tsx"
import { Composer } from "../conversation/composer.tsx"
import { useImages } from "../images/use-images.ts"
import { ModelPicker } from "../models/model-picker.tsx"
import { StartBudget } from "../usage/start-budget.tsx"
import type { CommandForm } from "./command-form.ts"
import { ConsentNotice } from "./consent-notice.tsx"
import { useDemo } from "./demo-note.tsx"
import { TeamPrograms } from "./team-programs.tsx"
import type { useDraft } from "./use-draft.ts"
import { useTeamGoal } from "./use-team-goal.ts"

/** Form for a team's goal, and the programs that its workers may use. */
export function TeamForm({ draft }: { draft: ReturnType<typeof useDraft> }) {
  const isDemo = useDemo()
  const { name: model } = useModel()
  const images = useImages()
  const goal = useTeamGoal(draft, images.images)
  const { refusal } = goal
  return (
    <>
      <Composer
        label="The goal"
        placeholder="What should the team achieve?"
        rows={3}
        value={draft.text}
        onChange={draft.write}
        command="Start"
        action="Start"
        onSend={goal.blocked ? null : () => goal.start(false)}
        busy={goal.busy && "Starting"}
        isRun
        error={refusal?.about === "all" ? refusal.error : null}
        images={images}
      >
        <ModelPicker className="h-8 border-transparent" />
      </Composer>
      <StartBudget {...goal.field("budget")} model={goal.coordinator === "" ? model : undefined} of="the whole team" />
      {refusal?.about === "consent" && <ConsentNotice repository={goal.repository} onAgree={() => goal.start(true)} />}
      <TeamPrograms goal={goal} />
      <TeamCommands commands={goal.commands} onChange={goal.setCommands} />
      <div className="mt-3">
        <Checkbox
          label="Keep the team running"
          hint="Lets you send more work after the team reaches its goal."
          {...goal.field("goesOn")}
        />
      </div>
      {isDemo && goal.coordinator === "" && (
        <p className="mt-4 border-l-4 border-line pl-3 text-sm text-pretty text-ink-2">
          This is the built-in demo, not a real model. The team will use 5 nodes to build a small page about your goal.
        </p>
      )}
    </>
  )
}

interface Props {
  commands: readonly CommandForm[]
  onChange(commands: CommandForm[]): void
}

/** Commands that a team can use as workers: their names, time limits, and whether they have network access. */
function TeamCommands({ commands, onChange }: Props) {
  const [added, setAdded] = useState(0)
  const change = (id: number, to: Partial<CommandForm>) =>
    onChange(commands.map((one) => (one.id === id ? { ...one, ...to } : one)))
  function add(): void {
    onChange([...commands, { id: added, name: "", command: "", minutes: "10", network: false }])
    setAdded(added + 1)
  }
  return (
    <fieldset className="mt-4 rounded-md border border-line px-4 pt-2 pb-4">
      <legend className="-ml-1 px-1 text-sm font-medium">Commands</legend>
      <p className="mb-3 text-sm text-pretty text-ink-3">
        A worker can also be a shell command that reads _task.md and writes files. The command runs on a copy of the
        project.
      </p>
      <ul className="flex flex-col gap-4">
        {commands.map((one) => (
          <li key={one.id} className="flex flex-wrap items-end gap-3">
            <Field
              label="Command name"
              className="w-40"
              maxLength={40}
              value={one.name}
              onChange={(name) => change(one.id, { name })}
              verbatim
            />
            <Field
              label="Command"
              className="min-w-52 flex-1"
              maxLength={2000}
              value={one.command}
              onChange={(command) => change(one.id, { command })}
              verbatim
            />
            <Field
              label="Maximum minutes"
              className="w-32"
              inputMode="numeric"
              value={one.minutes}
              onChange={(minutes) => change(one.id, { minutes })}
              verbatim
            />
            <Checkbox
              label="Same network access as agents"
              value={one.network}
              onChange={(network) => change(one.id, { network })}
            />
            <Button size="sm" onClick={() => onChange(commands.filter(({ id }) => id !== one.id))}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <Button size="sm" className="mt-3" onClick={add} disabled={commands.length >= 10}>
        Add a command
      </Button>
    </fieldset>
  )
}
