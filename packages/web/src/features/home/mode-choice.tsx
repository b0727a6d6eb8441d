import type { Mode } from "../../session/preferences/new-session-choices.ts"
import { ChoiceField } from "../../ui/field.tsx"

export const modeTitles = {
  ask: "Ask first",
  accept_edits: "Accept edits",
  plan: "Plan only",
  bypass: "Never ask",
} satisfies Record<Mode, string>

/** Explanation of each mode, for people about to start an agent in it. */
export const modeNotes = {
  ask: "The agent asks before each change and command.",
  accept_edits: "The agent edits files without asking, but asks before each command.",
  plan: "The agent reads and plans, but changes nothing.",
  bypass: "The agent edits files and runs commands without asking, with the same access as this server.",
} satisfies Record<Mode, string>

/** Selects what the agent may do without asking. */
export function ModeChoice({ mode, onChoose }: { mode: Mode; onChoose(mode: Mode): void }) {
  return (
    <ChoiceField
      label="Permissions"
      of={modeTitles}
      value={mode}
      onChange={onChoose}
      className="w-36 shrink-0 max-md:w-full"
    />
  )
}
