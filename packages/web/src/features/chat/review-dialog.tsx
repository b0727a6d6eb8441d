import { useState } from "react"
import { errorText } from "../../api/error-text.ts"
import { Field } from "../../ui/field.tsx"
import { FormDialog } from "../../ui/form-dialog.tsx"
import type { ChatActions } from "./use-chat-actions.ts"

/** Begins a review of a repository's changes. */
export function ReviewDialog({ actions, onClose }: { actions: ChatActions; onClose(): void }) {
  const [base, setBase] = useState("")
  const [tip, setTip] = useState("")
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const submit = async () => {
    setIsBusy(true)
    try {
      await actions.beginReview({ base: base.trim() || null, tip: tip.trim() || null })
      onClose()
    } catch (failure) {
      setError(errorText(failure))
      setIsBusy(false)
    }
  }
  return (
    <FormDialog title="Review changes" action="Review" blocked={isBusy} onSubmit={submit} onClose={onClose}>
      <p>
        The model is shown the changes with each message, as they are now. Until the review ends, no edit is applied.
      </p>
      <Field
        label="Since"
        hint="A branch, tag or commit. Left empty: since the session's work began."
        value={base}
        error={error}
        maxLength={250}
        onChange={({ target }) => {
          setBase(target.value)
          setError(null)
        }}
      />
      <Field
        label="Up to"
        hint="Left empty: up to the worktree's files as they are."
        value={tip}
        maxLength={250}
        onChange={({ target }) => setTip(target.value)}
      />
    </FormDialog>
  )
}
