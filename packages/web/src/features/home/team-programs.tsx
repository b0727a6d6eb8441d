import { paths } from "../../session/context/routes.ts"
import { Checkbox } from "../../ui/checkbox.tsx"
import { SelectField } from "../../ui/field.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { ModeChoice, modeNotes } from "./mode-choice.tsx"
import { RepositoryField } from "./repository-field.tsx"
import type { Agent } from "./use-agents.ts"
import { useKnownRepositories } from "./use-known-repositories.ts"
import type { useTeamGoal } from "./use-team-goal.ts"

/** Maximum number of programs that a team can choose from. */
const MAX_PROGRAMS = 10

/** Selects the programs that a team's workers may use, and where all of them work. */
export function TeamPrograms({ goal }: { goal: ReturnType<typeof useTeamGoal> }) {
  const { refusal, programs } = goal
  const wrong = (about: string) => (refusal?.about === about ? refusal.message : null)
  return (
    <fieldset className="mt-4 rounded-md border border-line px-4 pt-2 pb-4">
      <legend className="-ml-1 px-1 text-sm font-medium">Agents</legend>
      <p className="mb-3 text-sm text-pretty text-ink-3">
        {programs.length === 0
          ? "Workers are models unless you add coding agents:"
          : "Each worker gets its own branch and terminal. The branches are merged when the team reaches its goal."}
      </p>
      <Choices goal={goal} />
      {wrong("agent") && (
        <p role="alert" className="mt-2 text-sm text-err">
          {wrong("agent")}
        </p>
      )}
      <Coordinator goal={goal} />
      <Place goal={goal} wrong={wrong("repository")} />
    </fieldset>
  )
}

function Choices({ goal: { able, isKnown, programs, setPrograms } }: { goal: ReturnType<typeof useTeamGoal> }) {
  const toggle = (name: string, on: boolean) =>
    setPrograms(on ? [...programs, name] : programs.filter((one) => one !== name))
  const isFull = programs.length >= MAX_PROGRAMS
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-1.5">
      {able.map(optionOf).map(([name, label]) => (
        <Checkbox
          key={name}
          label={label}
          value={programs.includes(name)}
          onChange={(on) => (on && isFull ? undefined : toggle(name, on))}
        />
      ))}
      {isKnown && (
        <TextLink href={paths.settings("accounts")} className="py-0.5 text-sm leading-6 max-md:py-2">
          Add an account
        </TextLink>
      )}
    </div>
  )
}

function optionOf({ name, label, key }: Agent): readonly [string, string] {
  return [name, key === "trial" ? `${label} (for trying things out)` : label]
}

/** Selects the coordinator: the chosen model or an agent. */
function Coordinator({ goal: { able, coordinator, setCoordinator } }: { goal: ReturnType<typeof useTeamGoal> }) {
  if (able.length === 0) return null
  return (
    <SelectField
      label="Coordinator"
      value={coordinator}
      onChange={setCoordinator}
      options={[["", "Selected model"], ...able.map(optionOf)]}
      className="mt-4 max-w-72"
    />
  )
}

function Place({ goal, wrong }: { goal: ReturnType<typeof useTeamGoal>; wrong: string | null }) {
  const known = useKnownRepositories()
  return (
    <>
      <div className="mt-4 flex gap-3 max-md:flex-col">
        <RepositoryField
          value={goal.repository}
          onChange={goal.setRepository}
          known={known}
          wrong={wrong}
          hint="Enter a repository for the team, or leave empty to start from scratch."
        />
        {goal.hasPrograms && <ModeChoice mode={goal.mode} onChoose={goal.setMode} />}
      </div>
      {goal.hasPrograms && <p className="mt-2 text-sm text-ink-3">{modeNotes[goal.mode]}</p>}
    </>
  )
}
