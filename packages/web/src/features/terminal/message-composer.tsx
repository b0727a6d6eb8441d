import { type FormEvent, useId } from "react"
import { useCommand } from "../../session/context/commands.ts"
import { useBrowser } from "../../session/context/studio.ts"
import { isRunning } from "../../session/stream/run.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { fieldClass } from "../../ui/field.tsx"
import { CornerDownLeft, Play } from "../../ui/icons.tsx"
import { Notice } from "../../ui/notice.tsx"
import { StatusIcon } from "../../ui/status-icon.tsx"
import { isSubmitKey, isTouchScreen } from "../../ui/submit-key.ts"
import { useDraftPrompt } from "../run/prompt/use-draft-prompt.ts"
import { useSendMessage } from "./use-send-message.ts"

/** Sends the agent its next task, in the same worktree, or a message while it works. */
export function MessageComposer({ session, readOnly }: { session: SessionStore; readOnly: string | null }) {
  const id = useId()
  const { draft: text, write, forget } = useDraftPrompt(`${session.sessionId}.terminal`)
  const run = useSessionData(session, ({ live }) => live.run)
  const running = isRunning(run)
  const enterSends = useBrowser((state) => state.preferences.enter_sends)
  const { send, sending, error } = useSendMessage(session)
  const blocked = readOnly !== null || sending || text.trim() === ""
  const submit = async () => {
    if (!blocked && (await send(text))) forget()
  }
  useCommand("run", running ? "Message the agent" : "Send the task", blocked ? null : submit)
  const placeholder = running ? "Message the agent" : "What should the agent do next?"
  return (
    <form
      className="border-b border-line p-2"
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        submit()
      }}
    >
      {running && <Task session={session} />}
      <div className="flex items-start gap-2">
        <label htmlFor={id} className="unseen">
          {running ? "Message to the agent" : "Next task"}
        </label>
        <textarea
          id={id}
          rows={1}
          value={text}
          readOnly={readOnly !== null}
          onChange={(event) => write(event.target.value)}
          onKeyDown={(event) => {
            if (!isSubmitKey(event.nativeEvent, { enterSends, touch: isTouchScreen() })) return
            event.preventDefault()
            submit()
          }}
          placeholder={run ? placeholder : "What should the agent do?"}
          className={`${fieldClass} field-sizing-content block max-h-36 min-h-9 resize-none py-1.5 read-only:text-ink-2 max-md:min-h-11 max-md:py-2.5`}
        />
        <Button type="submit" tone={running ? "plain" : "primary"} disabled={blocked}>
          {running ? <CornerDownLeft size={14} aria-hidden /> : <Play size={14} aria-hidden />}
          Send
        </Button>
      </div>
      {error && (
        <Notice tone="err" className="mt-2">
          {error}
        </Notice>
      )}
    </form>
  )
}

/** The current task, in one line. */
function Task({ session }: { session: SessionStore }) {
  const prompt = useSessionData(session, ({ live }) => live.run?.prompt ?? "")
  const progress = useSessionData(session, ({ live }) => live.agent.progress)
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
