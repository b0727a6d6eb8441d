import { useState } from "react"
import { Button } from "../../ui/button.tsx"
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx"
import { ErrorNotice, Notice, UnloadedList } from "../../ui/notice.tsx"
import { NewAppForm } from "./new-app-form.tsx"
import { PublishedAppPart } from "./published-app-part.tsx"
import { useSessionApp, withdrawalText } from "./use-session-app.ts"

/** Publishes the shown session's page, and shows where it is published. */
export function PublishDialog({ onClose }: { onClose(): void }) {
  const { found, publish, withdraw } = useSessionApp()
  const [withdrawing, setWithdrawing] = useState(false)
  const { data } = found
  const app = data?.app ?? null
  if (app && withdrawing) {
    const close = () => setWithdrawing(false)
    return (
      <ConfirmDialog
        title="Unpublish the app?"
        action="Unpublish"
        busy={withdraw.isPending}
        failure={<ErrorNotice error={withdraw.error} className="mb-3" />}
        onConfirm={() => withdraw.mutate(app.name, { onSuccess: close })}
        onClose={close}
      >
        <p className="break-words">{withdrawalText(app)}</p>
      </ConfirmDialog>
    )
  }
  if (data && app === null && data.reason === null)
    return <NewAppForm plan={data} publish={publish} onClose={onClose} />
  return (
    <Dialog
      title={app ? "Published" : "Publish"}
      onClose={onClose}
      actions={
        <>
          {app && (
            <Button className="mr-auto" onClick={() => setWithdrawing(true)}>
              Unpublish
            </Button>
          )}
          {app === null && <Button onClick={onClose}>Close</Button>}
          {app && data?.reason === null && (
            <Button tone="primary" disabled={publish.isPending} onClick={() => publish.mutate(app.name)}>
              {data.version === app.version ? "Publish again" : `Publish version ${data.version}`}
            </Button>
          )}
        </>
      }
    >
      <ErrorNotice error={publish.error} className="mb-3" />
      {data ? null : <UnloadedList list={found} lines={4} />}
      {data && app && <PublishedAppPart app={app} plan={data} />}
      {data?.reason && <Notice className={app ? "mt-3" : undefined}>{data.reason}</Notice>}
    </Dialog>
  )
}
