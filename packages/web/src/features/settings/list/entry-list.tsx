import { type ReactNode, useState } from "react"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/dialog.tsx"
import { ErrorNotice } from "../../../ui/notice.tsx"

interface Props<Entry> {
  entries: Entry[]
  keyOf(entry: Entry): string
  row(entry: Entry): ReactNode
  /** Buttons before the one that removes the entry. */
  buttons?(entry: Entry): ReactNode
  removal: Removal<Entry>
}

interface Removal<Entry> {
  /** Label of the button, and of the confirmation. */
  action: "Delete" | "Remove" | "Revoke"
  /** Name of the entry for screen readers, after the action. */
  nameOf(entry: Entry): string
  question(entry: Entry): { title: string; text: ReactNode }
  /** Message after a successful removal. */
  done(entry: Entry): string
  remove(entry: Entry, options: { onSuccess(): void }): void
  mutation: { isPending: boolean; error: Error | null; reset(): void }
}

/** A list of settings whose entries can be removed, each after a confirmation. */
export function EntryList<Entry>({ entries, keyOf, row, buttons, removal }: Props<Entry>) {
  const { action, mutation } = removal
  const toast = useToast()
  const [doomed, setDoomed] = useState<Entry | null>(null)
  const close = () => {
    setDoomed(null)
    mutation.reset()
  }
  const question = doomed && removal.question(doomed)
  return (
    <>
      <ul className="border-b border-line">
        {entries.map((entry) => (
          <li
            key={keyOf(entry)}
            className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line py-3 first:border-t-0 first:pt-0"
          >
            {row(entry)}
            <div className="flex gap-3 max-md:w-full">
              {buttons?.(entry)}
              <Button size="sm" aria-label={`${action} ${removal.nameOf(entry)}`} onClick={() => setDoomed(entry)}>
                {action}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {doomed && question && (
        <ConfirmDialog
          title={question.title}
          action={action}
          busy={mutation.isPending}
          failure={<ErrorNotice error={mutation.error} className="mb-3" />}
          onClose={close}
          onConfirm={() => {
            const onSuccess = () => {
              toast(removal.done(doomed), "ok")
              close()
            }
            removal.remove(doomed, { onSuccess })
          }}
        >
          {question.text}
        </ConfirmDialog>
      )}
    </>
  )
}

/** An entry's name and facts. `more` follows the name, `children` the facts. */
export function EntryText({
  name,
  more,
  facts,
  children,
}: {
  name: string
  more?: ReactNode
  facts: string
  children?: ReactNode
}) {
  return (
    <div className="min-w-0 flex-1 basis-[240px]">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-semibold break-all">{name}</span>
        {more}
      </p>
      <p className="text-sm break-words text-ink-3 nums">{facts}</p>
      {children}
    </div>
  )
}

/** Title and text shown instead of an empty list. */
export function NoEntries({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <p className="font-semibold">{title}</p>
      <p className="mt-1 text-ink-2">{children}</p>
    </div>
  )
}
