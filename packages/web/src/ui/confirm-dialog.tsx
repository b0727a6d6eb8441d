import type { ReactNode } from "react"
import { Button } from "./button.tsx"
import { Dialog } from "./dialog.tsx"

interface Props {
  title: string
  action: string
  /** Label of the safe choice. */
  cancelLabel?: string
  busy: boolean
  /** Error of the last attempt, if it failed. */
  failure?: ReactNode
  onConfirm(): void
  onClose(): void
  children: ReactNode
}

/** Asks for confirmation before an action that can't be undone. Focuses the safe choice. */
export function ConfirmDialog({
  title,
  action,
  cancelLabel = "Cancel",
  busy,
  failure,
  onConfirm,
  onClose,
  children,
}: Props) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} data-autofocus>
            {cancelLabel}
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
