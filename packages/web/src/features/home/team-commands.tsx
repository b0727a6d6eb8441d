import { useState } from "react"
import { Button } from "../../ui/button.tsx"
import { Checkbox } from "../../ui/checkbox.tsx"
import { Field } from "../../ui/field.tsx"
import type { CommandForm } from "./command-form.ts"

interface Props {
  commands: readonly CommandForm[]
  onChange(commands: CommandForm[]): void
}

/** The commands that a team's workers may be: their names, what they may take, and whether they have the network. */
export function TeamCommands({ commands, onChange }: Props) {
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
              autoComplete="off"
              value={one.name}
              onChange={({ target }) => change(one.id, { name: target.value })}
            />
            <Field
              label="Command"
              className="min-w-52 flex-1"
              maxLength={2000}
              autoComplete="off"
              spellCheck={false}
              value={one.command}
              onChange={({ target }) => change(one.id, { command: target.value })}
            />
            <Field
              label="Minutes at most"
              className="w-32"
              inputMode="numeric"
              autoComplete="off"
              value={one.minutes}
              onChange={({ target }) => change(one.id, { minutes: target.value })}
            />
            <Checkbox
              label="Reaches the hosts that agents may"
              checked={one.network}
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
