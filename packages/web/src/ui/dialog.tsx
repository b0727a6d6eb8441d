import { type ReactNode, useId } from "react"
import { Button, IconButton } from "./button.tsx"
import { Form } from "./form.tsx"
import { X } from "./icons.tsx"
import { useModal } from "./use-modal.ts"

interface Props {
  title: string
  onClose(): void
  children: ReactNode
  /** Buttons, in a row that doesn't scroll with the content. */
  actions?: ReactNode
  wide?: boolean
  /** True if a press outside must not close it, because its content would be lost. */
  isSticky?: boolean
}

/**
 * A modal dialog. Uses the platform's dialog, which traps focus, closes on Esc, and restores the focus. Focuses the
 * element marked `data-autofocus`, or else the first field.
 */
export function Dialog({ title, onClose, children, actions, wide, isSticky = false }: Props) {
  const modal = useModal("[data-autofocus], form input, form textarea", onClose)
  const heading = useId()
  return (
    <dialog
      aria-labelledby={heading}
      {...modal}
      {...(isSticky && { onPointerDown: undefined })}
      className={`${wide ? "w-[min(720px,calc(100vw-32px))]" : "w-[min(480px,calc(100vw-32px))]"} m-auto max-h-[calc(100dvh-48px)] rounded-md border border-strong bg-sheet p-0 text-ink shadow-[0_8px_40px_rgb(0_0_0/0.25)] open:flex open:flex-col`}
    >
      <header className="flex items-center justify-between border-b border-line py-2 pr-2 pl-5">
        <h2 id={heading} className="min-w-0 text-lg wrap-anywhere">
          {title}
        </h2>
        <IconButton label="Close" onClick={onClose}>
          <X size={18} aria-hidden />
        </IconButton>
      </header>
      <div className="min-h-0 overflow-y-auto px-5 py-4">{children}</div>
      {actions && (
        <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{actions}</footer>
      )}
    </dialog>
  )
}

interface ConfirmProps {
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
}: ConfirmProps) {
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
            <span className="truncate">{action}</span>
          </Button>
        </>
      }
    >
      {failure}
      {children}
    </Dialog>
  )
}

interface FormProps {
  title: string
  /** Label of the submit button. */
  action: string
  /** True if the form can't be submitted now. */
  blocked: boolean
  onSubmit(): void
  onClose(): void
  children: ReactNode
}

export function FormDialog({ title, action, blocked, onSubmit, onClose, children }: FormProps) {
  const form = useId()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" type="submit" form={form} disabled={blocked}>
            <span className="truncate">{action}</span>
          </Button>
        </>
      }
    >
      <Form id={form} blocked={blocked} onSubmit={onSubmit} className="flex flex-col gap-4">
        {children}
      </Form>
    </Dialog>
  )
}
