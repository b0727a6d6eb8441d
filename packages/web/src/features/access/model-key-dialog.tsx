import { useEffect, useRef } from "react"
import { Dialog } from "../../ui/dialog.tsx"
import { Notice } from "../../ui/notice.tsx"
import { ModelKeyForm } from "./model-key-form.tsx"

/** Asks for the model's API key. `missing`: an action failed for lack of one. */
export function ModelKeyDialog({ onClose, missing = false }: { onClose(): void; missing?: boolean }) {
  const content = useRef<HTMLDivElement>(null)
  // A dialog focuses its first button by default, which here is the one that closes it.
  useEffect(() => content.current?.querySelector("input")?.focus(), [])
  return (
    <Dialog title="Model key" onClose={onClose}>
      <div ref={content}>
        {missing && (
          <Notice tone="need" className="mb-4">
            This needs an API key; the server doesn't have one. Add yours and try again.
          </Notice>
        )}
        <ModelKeyForm onSaved={onClose} explained={!missing} />
      </div>
    </Dialog>
  )
}
