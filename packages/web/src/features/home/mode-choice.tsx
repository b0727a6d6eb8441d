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
  ask: "It asks before each change and each command.",
  accept_edits: "It changes its files without asking, and asks before each command.",
  plan: "It reads, and changes nothing.",
  bypass: "It runs commands without asking, as the user running this server.",
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
