import { type ReactNode, useId } from "react"
import { Button } from "./button.tsx"
import { Dialog } from "./dialog.tsx"
import { Form } from "./form.tsx"

interface Props {
  title: string
  /** Label of the submit button. */
  action: string
  /** True if the form can't be submitted now. */
  blocked: boolean
  onSubmit(): void
  onClose(): void
  children: ReactNode
}

export function FormDialog({ title, action, blocked, onSubmit, onClose, children }: Props) {
  const form = useId()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" type="submit" form={form} disabled={blocked}>
            {action}
          </Button>
        </>
      }
    >
      <Form
        id={form}
        onSubmit={() => {
          // Enter submits a form even if its button is disabled.
          if (!blocked) onSubmit()
        }}
        className="flex flex-col gap-4"
      >
        {children}
      </Form>
    </Dialog>
  )
}
