import { useRef, useState } from "react"
import { useModel } from "../../session/models/use-model.ts"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Field } from "../../ui/field.tsx"
import { ModelPicker } from "../models/model-picker.tsx"
import { StartBudget } from "../usage/start-budget.tsx"
import { StartRefusal } from "../usage/start-refusal.tsx"
import type { CommandForm } from "./command-form.ts"
import { Composer } from "./composer.tsx"
import { ConsentNotice } from "./consent-notice.tsx"
import { useDemo } from "./demo-note.tsx"
import { TeamPrograms } from "./team-programs.tsx"
import type { useDraft } from "./use-draft.ts"
import { useTeamGoal } from "./use-team-goal.ts"

/** Form for a team's goal, and the programs that its workers may use. */
export function TeamForm({ draft }: { draft: ReturnType<typeof useDraft> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const isDemo = useDemo()
  const { name: model } = useModel()
  const goal = useTeamGoal(draft)
  const { refusal } = goal
  return (
    <>
      <Composer
        label="The goal"
        placeholder="Describe what shall be reached"
        draft={draft}
        action="Start"
        onRun={goal.blocked ? null : () => goal.start(false)}
        busy={goal.busy}
        autoFocus={false}
        field={field}
      >
        <ModelPicker className="-ml-2 h-8 border-transparent" />
      </Composer>
      <StartBudget {...goal.field("budget")} model={goal.coordinator === "" ? model : undefined} of="the whole team" />
      {refusal?.about === "all" && <StartRefusal error={refusal.error} className="mt-3" />}
      {refusal?.about === "consent" && <ConsentNotice repository={goal.repository} onAgree={() => goal.start(true)} />}
      <TeamPrograms goal={goal} />
      <TeamCommands commands={goal.commands} onChange={goal.setCommands} />
      <div className="mt-3">
        <Checkbox
          label="Keep the team"
          hint="When the goal is reached, it waits for messages and triggers, and goes on."
          {...goal.field("goesOn")}
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
        A worker can be a command, which finds its task in _task.md and leaves files. It runs on a copy of the project.
      </p>
      <ul className="flex flex-col gap-4">
        {commands.map((one) => (
          <li key={one.id} className="flex flex-wrap items-end gap-3">
            <Field
              label="Name of the command"
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
              label="Minutes at most"
              className="w-32"
              inputMode="numeric"
              value={one.minutes}
              onChange={(minutes) => change(one.id, { minutes })}
              verbatim
            />
            <Checkbox
              label="Reaches the hosts that agents may"
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
