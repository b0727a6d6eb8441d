import type { ReactNode } from "react"
import { FormDialog } from "../../../ui/dialog.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"

interface Props {
  title: string
  action: string
  change: { isPending: boolean; error: Error | null; reset(): void }
  /** True if required fields are empty. */
  blocked?: boolean
  onSubmit(): void
  onClose(): void
  children: ReactNode
}

/** Form that adds or edits an entry of a list of settings. */
export function EntryDialog({ action, change, blocked = false, onClose, children, ...dialog }: Props) {
  return (
    <FormDialog
      action={change.isPending ? "Saving…" : action}
      blocked={change.isPending || blocked}
      onClose={() => {
        // The next dialog must not show this one's error.
        change.reset()
        onClose()
      }}
      {...dialog}
    >
      <ErrorNotice error={change.error} />
      {children}
    </FormDialog>
  )
}
