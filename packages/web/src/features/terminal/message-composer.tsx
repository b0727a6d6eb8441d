import { useSendMessage } from "../../session/actions/use-send-message.ts"
import { useCommand } from "../../session/context/commands.ts"
import { MessageField } from "../../session/context/message-field.tsx"
import { isRunning } from "../../session/stream/run.ts"
import { useDraftPrompt } from "../../session/view/use-draft-prompt.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { fieldClass } from "../../ui/field.tsx"
import { Form } from "../../ui/form.tsx"
import { CornerDownLeft, Play, StatusIcon } from "../../ui/icons.tsx"
import { ErrorNotice } from "../../ui/notice.tsx"

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
    if (!blocked && (await send(text))) forget()
  }
  useCommand("run", running ? "Message the agent" : "Send the task", blocked ? null : submit)
  const placeholder = running ? "Message the agent" : "What should the agent do next?"
  return (
    <Form className="border-b border-line p-2" onSubmit={submit}>
      {running && <Task />}
      <div className="flex items-start gap-2">
        <MessageField
          label={running ? "Message to the agent" : "Next task"}
          rows={1}
          value={text}
          readOnly={readOnly !== null}
          onChange={write}
          onSubmit={submit}
          placeholder={run ? placeholder : "What should the agent do?"}
          className={`${fieldClass} field-sizing-content block max-h-36 min-h-9 resize-none py-1.5 read-only:text-ink-2 max-md:min-h-11 max-md:py-2.5`}
        />
        <Button type="submit" tone={running ? "plain" : "primary"} disabled={blocked}>
          {running ? <CornerDownLeft size={14} aria-hidden /> : <Play size={14} aria-hidden />}
          Send
        </Button>
      </div>
      <ErrorNotice error={error} className="mt-2" />
    </Form>
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
