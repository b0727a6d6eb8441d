import { useState } from "react"
import { FormDialog } from "../../ui/dialog.tsx"
import { Field } from "../../ui/field.tsx"
import { useAttempt } from "../../ui/use-attempt.ts"
import type { ChatActions } from "./use-chat-actions.ts"

/** Begins a review of a repository's changes. */
export function ReviewDialog({ actions, onClose }: { actions: ChatActions; onClose(): void }) {
  const [base, setBase] = useState("")
  const [tip, setTip] = useState("")
  const { attempt, busy, message, forgive } = useAttempt()
  const submit = async () => {
    if (await attempt(() => actions.beginReview({ base: base.trim() || null, tip: tip.trim() || null }))) onClose()
  }
  return (
    <FormDialog title="Review changes" action="Review" blocked={busy} onSubmit={submit} onClose={onClose}>
      <p>During the review, each message includes the current changes, and the model's edits aren't applied.</p>
      <Field
        label="Since"
        hint="A branch, tag or commit. Leave empty to review everything since the session started."
        value={base}
        error={message}
        maxLength={250}
        onChange={(text) => {
          setBase(text)
          forgive()
        }}
      />
      <Field label="Up to" hint="Leave empty to use the current files." value={tip} maxLength={250} onChange={setTip} />
    </FormDialog>
  )
}
