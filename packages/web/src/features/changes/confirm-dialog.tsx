import type { ReactNode } from "react"
import { Button } from "../../ui/button.tsx"
import { Dialog } from "../../ui/dialog.tsx"
import { Refusal } from "./refusal.tsx"

interface Props {
  title: string
  action: string
  /** What the harmless answer says. */
  keep?: string
  busy: boolean
  error?: Error | null
  onConfirm(): void
  onClose(): void
  children: ReactNode
}

/** Asks whether it is meant, before what can't be undone. Begins at the answer that does no harm. */
export function ConfirmDialog({ title, action, keep = "Keep it", busy, error, onConfirm, onClose, children }: Props) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} data-autofocus>
            {keep}
          </Button>
          <Button tone="danger" disabled={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {error && <Refusal error={error} className="mb-3" />}
      {children}
    </Dialog>
  )
}
