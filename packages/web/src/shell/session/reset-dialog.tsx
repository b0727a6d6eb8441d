import { formatCount } from "@switchyard/core/text/format"
import { useState } from "react"
import { useLocation } from "wouter"
import { anything, object, text } from "../../api/decode.ts"
import { errorText } from "../../api/error-text.ts"
import { paths } from "../../session/context/routes.ts"
import { useStudio, useToast } from "../../session/context/studio.ts"
import { useSessionsChanged } from "../../session/list/use-sessions.ts"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { sessionStoreOf } from "../../session/view/session-stores.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Notice } from "../../ui/notice.tsx"

/** Deletes the session, stopping its run, and opens an empty one in its place. */
export function ResetDialog({
  session,
  running,
  onClose,
}: {
  session: SessionStore
  running: boolean
  onClose(): void
}) {
  const studio = useStudio()
  const { api } = studio
  const toast = useToast()
  const changed = useSessionsChanged()
  const [, go] = useLocation()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const files = useSessionData(session, ({ live }) => live.files.manifest.files.length)

  async function reset(): Promise<void> {
    setBusy(true)
    try {
      const fresh = await api.call("POST /api/v1/sessions", { body: {}, response: object({ id: text }) })
      await api.call("DELETE /api/v1/sessions/{id}", { path: { id: session.sessionId }, response: anything })
      sessionStoreOf(studio, fresh.id).carry(session, running ? "The reset stopped the run" : "The session was reset")
      toast(running ? "The run was stopped. This is a new, empty session." : "This is a new, empty session.")
      changed()
      onClose()
      go(paths.run(fresh.id))
    } catch (failure) {
      setError(errorText(failure))
      setBusy(false)
    }
  }

  return (
    <Dialog
      title="Reset the session?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" onClick={reset} disabled={busy}>
            {running ? "Stop and reset" : "Reset"}
          </Button>
        </>
      }
    >
      <p>
        {running && "The run is stopped. "}
        {files === 0 ? "The session" : `The session and its ${formatCount(files, "file")}`} will be deleted, for you and
        in every other tab, and an empty one opened in its place.
      </p>
      {files > 0 && <p className="mt-2 text-ink-2">Download the zip first if you want to keep the files.</p>}
      {error && (
        <Notice tone="err" className="mt-3">
          {error}
        </Notice>
      )}
    </Dialog>
  )
}
