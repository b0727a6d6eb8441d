import { useState } from "react"
import { errorText } from "../../api/error-text.ts"
import { useToast } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { type Mode, modes } from "../home/choices.ts"
import { modeNotes, modeTitles } from "../home/mode-choice.tsx"
import { needsConsent, useAgentActions } from "./use-agent-actions.ts"

/** The modes that a key goes through: the last one is chosen with intent only. */
const byKey: Mode[] = ["ask", "accept_edits", "plan"]

/** The mode of an agent, which sets what it may do unasked, and the ways to change it. */
export function useAgentMode(session: SessionStore, { agentId, state }: RosterEntry) {
  const { change } = useAgentActions(session.sessionId)
  const toast = useToast()
  const [asking, setAsking] = useState(false)
  // Tasks that name no mode ask nothing.
  const mode = modes.find((one) => one === state.agent.mode) ?? "bypass"

  async function set(next: Mode, consent = false): Promise<void> {
    setAsking(false)
    try {
      await change(agentId, { mode: next, consent })
    } catch (error) {
      if (needsConsent(error)) setAsking(true)
      else toast(errorText(error), "err")
    }
  }

  return {
    mode,
    set,
    next: () => void set(byKey[(byKey.indexOf(mode) + 1) % byKey.length] ?? "ask"),
    asking,
    decline: () => setAsking(false),
  }
}

interface Props {
  name: string
  mode: ReturnType<typeof useAgentMode>
  readOnly: string | null
}

export function AgentMode({ name, mode: { mode, set, asking, decline }, readOnly }: Props) {
  return (
    <>
      <label className="flex items-center gap-1">
        <span className="unseen">Permissions of {name}</span>
        <select
          value={mode}
          disabled={readOnly !== null}
          title={`${modeNotes[mode]} Shift+Tab in the field changes it.`}
          onChange={({ target }) => void set(modes.find((one) => one === target.value) ?? "ask")}
          className="h-6 rounded-sm border border-line bg-sheet px-1 text-xs text-ink-2 hover:border-strong max-md:h-11"
        >
          {modes.map((one) => (
            <option key={one} value={one}>
              {modeTitles[one]}
            </option>
          ))}
        </select>
        <kbd aria-hidden className="border-line text-ink-3 max-md:hidden">
          ⇧Tab
        </kbd>
      </label>
      {asking && (
        <ConfirmDialog
          title={`Let ${name} work without asking?`}
          action="Allow"
          busy={false}
          onConfirm={() => void set("bypass", true)}
          onClose={decline}
        >
          {modeNotes.bypass} You'll only be asked once for this repository.
        </ConfirmDialog>
      )}
    </>
  )
}
