import { Dialog } from "../../ui/dialog.tsx"
import { Notice } from "../../ui/notice.tsx"
import { ModelKeyForm } from "./model-key-form.tsx"

/** Asks for the model's key. `reason`: why now. */
export function ModelKeyDialog({ onClose, reason }: { onClose(): void; reason?: string }) {
  return (
    <Dialog title="Model key" onClose={onClose}>
      {reason && (
        <Notice tone="need" className="mb-4">
          {reason}
        </Notice>
      )}
      <ModelKeyForm onSaved={onClose} />
    </Dialog>
  )
}
