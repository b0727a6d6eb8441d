import { type ReactNode, useId } from "react"
import { Button } from "../../../ui/button.tsx"
import { Form } from "../../../ui/form.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"

interface Props {
  title: string
  action: string
  /** Label of the button while the change is in progress. */
  doing: string
  change: { isPending: boolean; error: Error | null }
  /** True if required fields are empty. */
  blocked: boolean
  onSubmit(): void
  children: ReactNode
}

/** Form that adds an entry to a list of settings. */
export function EntryForm({ title, action, doing, change, blocked, onSubmit, children }: Props) {
  const heading = useId()
  return (
    <Form noValidate aria-labelledby={heading} blocked={change.isPending} onSubmit={onSubmit}>
      <h2 id={heading} className="mb-3 text-lg">
        {title}
      </h2>
      <ErrorNotice error={change.error} className="mb-4" />
      <div className="grid items-start gap-4 sm:grid-cols-2">{children}</div>
      <Button type="submit" tone="primary" className="mt-4" disabled={change.isPending || blocked}>
        {change.isPending ? doing : action}
      </Button>
    </Form>
  )
}
