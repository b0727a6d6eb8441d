import { useEffect, useRef } from "react"
import { Dialog } from "../../ui/dialog.tsx"
import { Notice } from "../../ui/notice.tsx"
import { ModelKeyForm } from "./model-key-form.tsx"

/** Asks for the model's key. `missing`: something was asked for that can't do without. */
export function ModelKeyDialog({ onClose, missing = false }: { onClose(): void; missing?: boolean }) {
  const content = useRef<HTMLDivElement>(null)
  // A dialog gives focus to its first button, and closing is not what it was opened for.
  useEffect(() => content.current?.querySelector("input")?.focus(), [])
  return (
    <Dialog title="Model key" onClose={onClose}>
      <div ref={content}>
        {missing && (
          <Notice tone="need" className="mb-4">
            This needs an API key; the server doesn't have one. Add yours and try again.
          </Notice>
        )}
        <ModelKeyForm onSaved={onClose} told={!missing} />
      </div>
    </Dialog>
  )
}
