import { useSendMessage } from "../../session/actions/use-send-message.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useDraftPrompt } from "../../session/view/use-draft-prompt.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { StatusIcon } from "../../ui/icons.tsx"
import { Composer } from "../conversation/composer.tsx"

/** Sends the agent its next task in the same worktree, or a message while it is working. */
export function MessageComposer() {
  const readOnly = useReadOnly()
  const { sessionId } = useShownSession()
  const { draft: text, write, forget } = useDraftPrompt(`${sessionId}.terminal`)
  const run = useSessionData(({ live }) => live.run)
  const running = isRunning(run)
  const { send, sending, error } = useSendMessage()
  const blocked = readOnly !== null || sending || text.trim() === ""
  const submit = async () => {
    if (await send(text)) forget()
  }
  const placeholder = running ? "Message the agent" : "What should the agent do next?"
  return (
    <Composer
      className="border-b border-line p-2"
      command={running ? "Message the agent" : "Send task"}
      label={running ? "Message to the agent" : "Next task"}
      rows={1}
      value={text}
      readOnly={readOnly !== null}
      onChange={write}
      placeholder={run ? placeholder : "What should the agent do?"}
      action="Send"
      onSend={blocked ? null : submit}
      busy={sending && "Sending"}
      error={error}
      above={running && <Task />}
    />
  )
}

function Task() {
  const prompt = useSessionData(({ live }) => live.run?.prompt ?? "")
  const progress = useSessionData(({ live }) => live.agent.progress)
  return (
    <p className="mb-2 flex min-w-0 items-center gap-2 pl-1 text-sm">
      <StatusIcon state="busy" />
      <span className="min-w-0 truncate text-ink" title={prompt}>
        {prompt}
      </span>
      {progress && <span className="min-w-0 truncate text-ink-3 max-md:hidden">{progress}</span>}
    </p>
  )
}
