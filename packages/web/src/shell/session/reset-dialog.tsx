import { formatCount } from "@switchyard/core/text/format"
import { useLocation } from "wouter"
import { anything, object, text } from "../../api/decode.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio, useToast } from "../../session/context/studio.ts"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"
import { sessionStoreOf } from "../../session/view/session-stores.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { ConfirmDialog } from "../../ui/dialog.tsx"
import { ErrorNotice } from "../../ui/notice.tsx"
import { useAttempt } from "../../ui/use-attempt.ts"

/** Deletes the session, which stops its run, and opens an empty one in its place. */
export function ResetDialog({ running, onClose }: { running: boolean; onClose(): void }) {
  const session = useShownSession()
  const studio = useStudio()
  const { api } = studio
  const toast = useToast()
  const changed = useSessionsChanged()
  const [, go] = useLocation()
  const { attempt, busy, error } = useAttempt()
  const files = useSessionData(({ live }) => live.files.manifest.files.length)

  const reset = () =>
    attempt(async () => {
      const fresh = await api.call("POST /api/v1/sessions", { body: {}, response: object({ id: text }) })
      await api.call("DELETE /api/v1/sessions/{id}", { path: { id: session.sessionId }, response: anything })
      sessionStoreOf(studio, fresh.id).carry(session, running ? "The reset stopped the run" : "The session was reset")
      toast(running ? "The run was stopped. This is a new, empty session." : "This is a new, empty session.")
      changed()
      onClose()
      go(paths.run(fresh.id))
    })

  return (
    <ConfirmDialog
      title="Reset session?"
      action={running ? "Stop and reset" : "Reset"}
      busy={busy}
      failure={<ErrorNotice error={error} className="mb-3" />}
      onConfirm={reset}
      onClose={onClose}
    >
      <p>
        {running && "The run will be stopped. "}
        {files === 0 ? "The session" : `The session and its ${formatCount(files, "file")}`} will be deleted, here and in
        every other tab. An empty session will open in its place.
      </p>
      {files > 0 && <p className="mt-2 text-ink-2">Download the zip first if you want to keep the files.</p>}
    </ConfirmDialog>
  )
}
