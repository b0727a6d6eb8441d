import { useEffect, useRef } from "react"
import { anything } from "../../../api/decode.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { ShownSession, useDataOf, useSession } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog.tsx"
import { Notice, Skeleton } from "../../../ui/notice.tsx"
import { LiveScreen } from "../../terminal/live/live-screen.tsx"

interface Props {
  name: string
  /** ID of the login's session. */
  session: string
  /** Called with whether the account now has its login. */
  onEnd(isDone: boolean): void
}

/** The terminal of a login. Closing it before the end cancels the login. */
export function LoginDialog({ name, session: id, onEnd }: Props) {
  const { api } = useStudio()
  const session = useSession(id)
  const terminals = useDataOf(session, ({ live }) => live.agent.terminals)
  const status = useDataOf(session, ({ live }) => live.run?.status)
  const error = useDataOf(session, ({ live }) => live.run?.error?.message)
  const isGone = useDataOf(session, ({ live, connection }) => live.deleted || connection.state === "gone")
  const awaited = useRef("")
  const [terminal] = terminals
  useEffect(() => {
    if (status === "completed") onEnd(true)
  }, [status, onEnd])
  const close = () => {
    // If the session no longer exists, there is nothing to cancel.
    api.call("DELETE /api/v1/sessions/{id}", { path: { id }, response: anything }).catch(() => undefined)
    onEnd(false)
  }
  const isOver = isGone || status === "failed" || status === "cancelled"
  return (
    <Dialog
      wide
      title={`Log in to ${name}`}
      onClose={close}
      actions={<Button onClick={close}>{isOver ? "Close" : "Cancel"}</Button>}
    >
      {isOver ? (
        <Notice tone="err">{error ?? "Login ended."}</Notice>
      ) : (
        <>
          <p className="mb-3 text-sm text-ink-2">
            Log in to the agent within 15 minutes. This terminal isn't recorded.
          </p>
          <div className="h-[min(420px,60dvh)] overflow-hidden rounded-md border border-line bg-well">
            {terminal ? (
              <ShownSession value={session}>
                <LiveScreen {...{ terminal, terminals, awaited }} readOnly={null} onPlay={null} onRetry={() => {}} />
              </ShownSession>
            ) : (
              <Skeleton lines={6} className="p-6" />
            )}
          </div>
        </>
      )}
    </Dialog>
  )
}
