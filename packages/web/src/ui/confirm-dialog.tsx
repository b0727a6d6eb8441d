import type { ReactNode } from "react"
import { Button } from "./button.tsx"
import { Dialog } from "./dialog.tsx"

interface Props {
  title: string
  action: string
  /** What the harmless answer says. */
  keep?: string
  busy: boolean
  /** Why it failed the last time, if it did. */
  failure?: ReactNode
  onConfirm(): void
  onClose(): void
  children: ReactNode
}

/** Asks whether it is meant, before what can't be undone. Begins at the answer that does no harm. */
export function ConfirmDialog({ title, action, keep = "Cancel", busy, failure, onConfirm, onClose, children }: Props) {
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
      {failure}
      {children}
    </Dialog>
  )
}
