import type { ReactNode } from "react"
import { Button } from "../../../ui/button.tsx"
import { CopiedText } from "../../../ui/copied-text.tsx"
import { Dialog } from "../../../ui/dialog.tsx"

interface Props {
  title: string
  /** Labels and their texts. */
  secrets: Record<string, string>
  /** The change that returned them, which forgets them when the dialog is closed. */
  change: { reset(): void }
  onClose(): void
  children: ReactNode
}

/** Texts to copy that are shown only once. */
export function SecretsDialog({ title, secrets, change, onClose, children }: Props) {
  const close = () => {
    change.reset()
    onClose()
  }
  return (
    <Dialog
      title={title}
      onClose={close}
      isSticky
      actions={
        <Button tone="primary" onClick={close} data-autofocus>
          Done
        </Button>
      }
    >
      <p className="mb-4 text-sm text-ink-2">{children}</p>
      {Object.entries(secrets).map(([label, text]) => (
        <CopiedText key={label} label={label} text={text} />
      ))}
    </Dialog>
  )
}
