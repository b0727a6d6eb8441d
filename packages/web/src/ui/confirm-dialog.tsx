import type { ReactNode } from "react"
import { Button } from "./button.tsx"
import { Dialog } from "./dialog.tsx"

interface Props {
  title: string
  action: string
  /** The label of the harmless answer. */
  cancelLabel?: string
  busy: boolean
  /** The error of the last attempt, if it failed. */
  failure?: ReactNode
  onConfirm(): void
  onClose(): void
  children: ReactNode
}

/** Asks for confirmation before an action that can't be undone. Focuses the harmless answer. */
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
