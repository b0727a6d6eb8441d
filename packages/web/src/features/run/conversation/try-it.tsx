import { useState } from "react"
import { needsConsent } from "../../../api/client.ts"
import { anything } from "../../../api/decode.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { ErrorNotice, Notice } from "../../../ui/notice.tsx"
import { useAttempt } from "../../../ui/use-attempt.ts"

const CheckCommandsDialog = lazyPart(async () => (await import("./check-commands-dialog.tsx")).CheckCommandsDialog)

/** Installs, tests and starts what was built. Asks for consent first if it would run on the user's own machine. */
export function TryIt() {
  const { sessionId, api } = useShownSession()
  const { attempt, busy, error } = useAttempt()
  const [choosing, setChoosing] = useState(false)
  const start = (consent: boolean) =>
    attempt(() =>
      api.call("POST /api/v1/sessions/{id}/checks", {
        path: { id: sessionId },
        body: { consent },
        response: anything,
      }),
    )
  if (needsConsent(error)) {
    return (
      <Notice tone="need" className="mt-1.5 flex flex-wrap items-center justify-between gap-3">
        <span className="min-w-0 flex-1 basis-60">
          Install, test and start generated projects on this machine? They run in a sandbox if one is available. Future
          runs will do this automatically and fix any failures.
        </span>
        <Button onClick={() => start(true)}>Allow</Button>
      </Notice>
    )
  }
  return (
    <div className="mt-1.5">
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={busy} onClick={() => start(false)}>
          Run tests and start app
        </Button>
        <Button size="sm" tone="quiet" onClick={() => setChoosing(true)}>
          Commands
        </Button>
      </div>
      {choosing && <CheckCommandsDialog onClose={() => setChoosing(false)} />}
      <ErrorNotice error={error} className="mt-1.5" />
    </div>
  )
}
