import { type RefObject, useRef, useState } from "react"
import { errorText } from "../../api/error-text.ts"
import { useBrowser } from "../../session/context/studio.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { Composer } from "../conversation/composer.tsx"
import { useAttachments } from "../conversation/use-attachments.ts"
import { useDraftPrompt } from "../run/prompt/use-draft-prompt.ts"
import { TaskFailure } from "../terminal/agent-failure.tsx"
import { AgentMode, useAgentMode } from "./agent-mode.tsx"
import { type Message, useAgentActions } from "./use-agent-actions.ts"
import { useMentionable } from "./use-mentionable.ts"

interface Props {
  session: SessionStore
  entry: RosterEntry
  field: RefObject<HTMLTextAreaElement | null>
  readOnly: string | null
}

/** The field for the next message to an agent, with its mode, what waits for it, and why its last task failed. */
export function AgentComposer({ session, entry, field, readOnly }: Props) {
  const { agentId, name, status, waitsFor, state } = entry
  const { draft, write, forget } = useDraftPrompt(`${session.sessionId}.${agentId}`)
  const attachments = useAttachments(session.sessionId)
  const actions = useAgentActions(session.sessionId)
  const mode = useAgentMode(session, entry)
  const mentionable = useMentionable(session, agentId)
  const letters = useBrowser((browser) => browser.preferences.single_letter_keys)
  const [sending, setSending] = useState(false)
  const [error, setError] = useState<string | null>(null)
  /** The same message has the same id when it is sent again, so that it counts once. */
  const unsure = useRef({ id: "", words: "" })
  const queued = state.agent.queued.length

  async function say(message: Message, onSaid: () => void): Promise<void> {
    setSending(true)
    setError(null)
    try {
      const words = JSON.stringify(message)
      if (unsure.current.words !== words) unsure.current = { id: crypto.randomUUID(), words }
      await actions.say(agentId, message, unsure.current.id)
      unsure.current = { id: "", words: "" }
      onSaid()
    } catch (failure) {
      setError(errorText(failure))
    } finally {
      setSending(false)
    }
  }

  const send = () =>
    say({ text: draft, images: attachments.images.flatMap(({ path }) => path ?? []) }, () => {
      forget()
      attachments.clear()
    })
  const waits = status !== "idle" && status !== "failed"
  return (
    <>
      {status === "failed" && (
        <TaskFailure
          run={state.run}
          readOnly={readOnly}
          sending={sending}
          error={null}
          onRetry={(text) => say({ text, images: [] }, () => {})}
        />
      )}
      <Composer
        field={field}
        label={`Message to ${name}`}
        placeholder={waits ? `Message ${name} for when it is done` : `Message ${name}`}
        text={draft}
        onWrite={write}
        readOnly={readOnly}
        sending={sending}
        error={error}
        onSend={send}
        attachments={attachments}
        files={mentionable.files}
        onMention={mentionable.onMention}
        onMode={letters && readOnly === null ? mode.next : null}
      >
        <AgentMode name={name} mode={mode} readOnly={readOnly} />
        {queued > 0 && (
          <span role="status" className="nums">
            {queued} {queued === 1 ? "message waits" : "messages wait"}
          </span>
        )}
        {waitsFor !== null && status === "starting" && <span>{waitsFor}</span>}
      </Composer>
    </>
  )
}
