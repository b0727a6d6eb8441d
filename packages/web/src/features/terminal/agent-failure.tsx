import { useSendMessage } from "../../session/actions/use-send-message.ts"
import { paths } from "../../session/context/routes.ts"
import type { RunView } from "../../session/stream/run.ts"
import { useReadOnly, useSessionData } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-text.ts"
import { Notice } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"

/** Why the latest task failed, and what can be done. Nothing if it didn't fail. */
export function AgentFailure() {
  const readOnly = useReadOnly()
  const run = useSessionData(({ shown }) => shown.run)
  const { send, sending, error } = useSendMessage()
  return <TaskFailure run={run} readOnly={readOnly} sending={sending} error={error} onRetry={send} />
}

interface Props {
  run: RunView | null
  readOnly: string | null
  /** True while the task is being sent again. */
  sending: boolean
  /** Why it couldn't be sent again. */
  error: unknown
  onRetry(task: string): void
}

/** Why a task failed, with its account and a button that sends it again. Nothing if it didn't fail. */
export function TaskFailure({ run, readOnly, sending, error, onRetry }: Props) {
  if (!run?.error) return null
  const { message, hint } = run.error
  return (
    <Notice tone="err" className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-b-line">
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-semibold text-err">The task failed</p>
        <p className="break-words whitespace-pre-line">{message}</p>
        {!message.includes(hint) && <p className="text-ink-2">{hint}</p>}
        {error != null && <p className="mt-1">Couldn't restart the task. {errorText(error)}</p>}
      </div>
      {readOnly === null && (
        <div className="flex flex-wrap items-center gap-3">
          <TextLink href={paths.settings("accounts")}>
            {run.agent === null ? "Accounts" : `Account ${run.agent}`}
          </TextLink>
          <Button size="sm" tone="primary" disabled={sending} onClick={() => onRetry(run.prompt)}>
            Try again
          </Button>
        </div>
      )}
    </Notice>
  )
}
