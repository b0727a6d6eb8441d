import { useId } from "react"
import { fieldClass } from "../../ui/field.tsx"
import { type Mode, modes } from "./choices.ts"

const titles = {
  ask: "Ask first",
  accept_edits: "Accept edits",
  plan: "Plan only",
  bypass: "Never ask",
} satisfies Record<Mode, string>

/** The meaning of each mode, for people who are about to start an agent in it. */
export const modeNotes = {
  ask: "It asks before each change and each command.",
  accept_edits: "It changes its files without asking, and asks before each command.",
  plan: "It reads, and changes nothing.",
  bypass: "It runs commands without asking, as the user running this server.",
} satisfies Record<Mode, string>

/** Selects what the agent may do unasked. */
export function ModeChoice({ mode, onChoose }: { mode: Mode; onChoose(mode: Mode): void }) {
  const id = useId()
  return (
    <div className="w-36 shrink-0 max-md:w-full">
      <label htmlFor={id} className="mb-1 block text-sm font-semibold">
        Permissions
      </label>
      <select
        id={id}
        value={mode}
        onChange={(event) => onChoose(modes.find((one) => one === event.target.value) ?? "ask")}
        className={`${fieldClass} h-9 pr-1 pl-2 max-md:h-11`}
      >
        {modes.map((one) => (
          <option key={one} value={one}>
            {titles[one]}
          </option>
        ))}
      </select>
    </div>
  )
}
