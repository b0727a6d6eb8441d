import { formatCount } from "@switchyard/core/text/format"
import { type KeyboardEvent, type RefObject, useRef, useState } from "react"
import { needsConsent } from "../../api/client.ts"
import { useBrowser, useToast } from "../../session/context/studio.ts"
import { type Mode, modes } from "../../session/preferences/new-session-choices.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { useDraftPrompt } from "../../session/view/use-draft-prompt.ts"
import { useReadOnly, useShownSession } from "../../session/view/use-session.ts"
import { ConfirmDialog } from "../../ui/dialog.tsx"
import { errorText } from "../../ui/error-text.ts"
import { Options } from "../../ui/field.tsx"
import { useAttempt } from "../../ui/use-attempt.ts"
import { Composer } from "../conversation/composer.tsx"
import { useMentions } from "../conversation/mention-list.tsx"
import { modeNotes, modeTitles } from "../home/mode-choice.tsx"
import { useImages } from "../images/use-images.ts"
import { TaskFailure } from "../terminal/agent-failure.tsx"
import { type Message, useAgentActions } from "./use-agent-actions.ts"
import { useMentionable } from "./use-mentionable.ts"

interface Props {
  entry: RosterEntry
  isSelected: boolean
  field: RefObject<HTMLTextAreaElement | null>
}

/** Field for the next message to an agent, with its mode, the queued messages, and why its last task failed. */
export function AgentComposer({ entry, isSelected, field }: Props) {
  const readOnly = useReadOnly()
  const { sessionId } = useShownSession()
  const { agentId, name, status, waitsFor, state } = entry
  const { draft, write, forget } = useDraftPrompt(`${sessionId}.${agentId}`)
  const images = useImages()
  const actions = useAgentActions()
  const mode = useAgentMode(entry)
  const mentions = useMentions({ field, text: draft, onWrite: write, ...useMentionable(agentId) })
  const letters = useBrowser((browser) => browser.preferences.single_letter_keys)
  const { attempt, busy, error } = useAttempt()
  /** Resending the same message reuses its ID, so that it counts only once. */
  const unsure = useRef({ id: "", words: "" })
  const queued = state.agent.queued.length
  const isEmpty = draft.trim() === "" && images.images.length === 0

  async function say(message: Message): Promise<boolean> {
    const words = JSON.stringify(message)
    if (unsure.current.words !== words) unsure.current = { id: crypto.randomUUID(), words }
    const isSaid = await attempt(() => actions.say(agentId, message, unsure.current.id))
    if (isSaid) unsure.current = { id: "", words: "" }
    return isSaid
  }
  const send = async () => {
    if (!(await say({ text: draft, images: images.images }))) return
    forget()
    images.forget()
  }
  function press(event: KeyboardEvent<HTMLTextAreaElement>): void {
    mentions.props.onKeyDown(event)
    if (event.key !== "Tab" || !event.shiftKey || !letters || readOnly !== null) return
    event.preventDefault()
    mode.next()
  }
  const waits = status !== "idle" && status !== "failed"
  return (
    <>
      {status === "failed" && (
        <TaskFailure
          run={state.run}
          readOnly={readOnly}
          sending={busy}
          error={null}
          onRetry={(text) => say({ text, images: [] })}
        />
      )}
      <Composer
        {...mentions.props}
        className="mx-auto w-full max-w-[852px] p-2"
        command={isSelected ? `Send to ${name}` : undefined}
        label={`Message to ${name}`}
        placeholder={waits ? "Queue a message" : `Message ${name}`}
        rows={1}
        value={draft}
        readOnly={readOnly !== null}
        onKeyDown={press}
        action={
          <span>
            Send<span className="unseen"> to {name}</span>
          </span>
        }
        onSend={readOnly !== null || busy || isEmpty ? null : send}
        busy={busy && "Sending"}
        error={error}
        images={images}
        above={mentions.list}
      >
        <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-3">
          <AgentMode name={name} mode={mode} />
          {queued > 0 && (
            <span role="status" className="nums">
              {formatCount(queued, "message")} queued
            </span>
          )}
          {waitsFor !== null && status === "starting" && <span>{waitsFor}</span>}
        </span>
      </Composer>
    </>
  )
}

/** The modes that the shortcut cycles through. `bypass` must be chosen deliberately. */
const byKey: Mode[] = ["ask", "accept_edits", "plan"]

/** Returns an agent's mode, which determines what it may do without asking, and ways to change it. */
function useAgentMode({ agentId, state }: RosterEntry) {
  const { change } = useAgentActions()
  const toast = useToast()
  const [asking, setAsking] = useState(false)
  // Tasks without a mode don't ask for permission.
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

interface AgentModeProps {
  name: string
  mode: ReturnType<typeof useAgentMode>
}

function AgentMode({ name, mode: { mode, set, asking, decline } }: AgentModeProps) {
  const readOnly = useReadOnly()
  return (
    <>
      <label className="flex items-center gap-1">
        <span className="unseen">{name}'s permissions</span>
        <select
          value={mode}
          disabled={readOnly !== null}
          title={`${modeNotes[mode]} To change this, press Shift+Tab in the message field.`}
          onChange={({ target }) => void set(modes.find((one) => one === target.value) ?? "ask")}
          className="h-6 rounded-sm border border-line bg-sheet px-1 text-xs text-ink-2 hover:border-strong max-md:h-11"
        >
          <Options of={modes.map((one) => [one, modeTitles[one]])} />
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
          {modeNotes.bypass} You won't be asked again for this repository.
        </ConfirmDialog>
      )}
    </>
  )
}
