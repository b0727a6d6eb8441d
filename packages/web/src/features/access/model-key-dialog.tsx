import { useEffect, useRef } from "react"
import { Dialog } from "../../ui/dialog.tsx"
import { Notice } from "../../ui/notice.tsx"
import { ModelKeyForm } from "./model-key-form.tsx"

/** Asks for the model's key. `reason`: why now. */
export function ModelKeyDialog({ onClose, reason }: { onClose(): void; reason?: string }) {
  const content = useRef<HTMLDivElement>(null)
  // A dialog gives focus to its first button, and closing is not what it was opened for.
  useEffect(() => content.current?.querySelector("input")?.focus(), [])
  return (
    <Dialog title="Model key" onClose={onClose}>
      <div ref={content}>
        {reason && (
          <Notice tone="need" className="mb-4">
            {reason}
          </Notice>
        )}
        <ModelKeyForm onSaved={onClose} />
      </div>
    </Dialog>
  )
}
