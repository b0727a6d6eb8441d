import { type ReactNode, useId, useRef, useState } from "react"
import { flushSync } from "react-dom"
import { useToast } from "../../../session/context/studio.ts"
import { Button } from "../../../ui/button.tsx"
import { ConfirmDialog } from "../../../ui/dialog.tsx"
import { Plus } from "../../../ui/icons.tsx"
import { ErrorNotice, UnloadedList } from "../../../ui/notice.tsx"
import { MoveButtons } from "./move-buttons.tsx"

interface Props<Entry> {
  title: string
  /** True if the page's heading already says the title. It is then only for screen readers. */
  isPage?: boolean
  hint?: ReactNode
  list: { error: Error | null; isPending: boolean; refetch(): unknown }
  /** Undefined until they are loaded. */
  entries: readonly Entry[] | undefined
  /** Shown instead of an empty list. */
  empty: ReactNode
  /** Entries with the same key are numbered. It shouldn't contain the position, so that a moved entry keeps the focus. */
  keyOf(entry: Entry): string
  /** Name of an entry in the labels of its buttons and in messages. */
  nameOf(entry: Entry): string
  row(entry: Entry): ReactNode
  /** Label of the button that opens the form for a new entry. No button without it. */
  add?: string | undefined
  /** Label of the button that opens the form for an existing entry. No button without it. */
  edit?: string
  /** A form in a dialog, for the entry or for a new one (null). */
  form?(entry: Entry | null, close: () => void): ReactNode
  /** Present if the order of the entries matters. */
  order?: Order<Entry>
  removal: Removal<Entry>
}

interface Order<Entry> {
  save(entries: Entry[]): void
  error: Error | null
  /** Entries can be moved only within their group. */
  groupOf?(entry: Entry): string
}

interface Removal<Entry> {
  action: keyof typeof REMOVED
  /** Consequences, for the confirmation. */
  text(entry: Entry): ReactNode
  remove(entry: Entry, options: { onSuccess(): void }): void
  mutation: { isPending: boolean; error: Error | null; reset(): void }
}

const REMOVED = {
  Delete: "Deleted",
  Remove: "Removed",
  Revoke: "Revoked",
  Unpublish: "Unpublished",
  Withdraw: "Withdrew",
}

/** A list of settings, with dialogs that add, edit and remove its entries. */
export function CrudSection<Entry>(props: Props<Entry>) {
  const { title, isPage, hint, list, entries, empty, add, form, order, removal } = props
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  const [edited, setEdited] = useState<Entry | null>()
  const [doomed, setDoomed] = useState<Entry | null>(null)
  return (
    <section aria-labelledby={id} className="border-t border-line pt-5 pb-8">
      <div className="mb-4 flex flex-wrap items-center gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h2 id={id} ref={heading} tabIndex={-1} className={isPage ? "unseen" : "text-lg"}>
            {title}
          </h2>
          {hint && <p className="text-sm text-ink-3">{hint}</p>}
        </div>
        {add && (
          <Button onClick={() => setEdited(null)}>
            <Plus size={16} aria-hidden /> {add}
          </Button>
        )}
      </div>
      {edited === undefined && doomed === null && <ErrorNotice error={order?.error} className="mb-3" />}
      {!entries && <UnloadedList list={list} lines={3} />}
      {entries?.length === 0 && <p className="border-t border-line pt-4 text-sm text-ink-2">{empty}</p>}
      {entries && entries.length > 0 && (
        <Rows<Entry> {...props} entries={entries} onEdit={setEdited} onRemove={setDoomed} />
      )}
      {edited !== undefined && form?.(edited, () => setEdited(undefined))}
      {doomed !== null && (
        <RemovalDialog
          removal={removal}
          entry={doomed}
          name={props.nameOf(doomed)}
          onClose={() => setDoomed(null)}
          onRemoved={() => {
            // Only when the dialog is closed, because it keeps the focus inside.
            flushSync(() => setDoomed(null))
            heading.current?.focus()
          }}
        />
      )}
    </section>
  )
}

interface RowsProps<Entry> extends Props<Entry> {
  entries: readonly Entry[]
  onEdit(entry: Entry): void
  onRemove(entry: Entry): void
}

function Rows<Entry>({ entries, keyOf, nameOf, row, edit, order, removal, onEdit, onRemove }: RowsProps<Entry>) {
  const keys = entries.map(keyOf)
  return (
    <ul>
      {entries.map((entry, at) => (
        <li
          key={`${keys[at]} ${keys.slice(0, at).filter((key) => key === keys[at]).length}`}
          className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3 max-md:py-4"
        >
          {row(entry)}
          <div className="flex items-center gap-2 max-md:w-full">
            {order && (
              <MoveButtons list={entries} at={at} name={nameOf(entry)} groupOf={order.groupOf} onChange={order.save} />
            )}
            {edit && (
              <Button size="sm" aria-label={`${edit} ${nameOf(entry)}`} onClick={() => onEdit(entry)}>
                {edit}
              </Button>
            )}
            <Button size="sm" aria-label={`${removal.action} ${nameOf(entry)}`} onClick={() => onRemove(entry)}>
              {removal.action}
            </Button>
          </div>
        </li>
      ))}
    </ul>
  )
}

interface RemovalProps<Entry> {
  removal: Removal<Entry>
  entry: Entry
  name: string
  onClose(): void
  onRemoved(): void
}

function RemovalDialog<Entry>({ removal, entry, name, onClose, onRemoved }: RemovalProps<Entry>) {
  const { action, text, remove, mutation } = removal
  const toast = useToast()
  const onSuccess = () => {
    toast(`${REMOVED[action]} ${name}.`, "ok")
    onRemoved()
  }
  return (
    <ConfirmDialog
      title={`${action} ${name}?`}
      action={action}
      busy={mutation.isPending}
      failure={<ErrorNotice error={mutation.error} className="mb-3" />}
      onClose={() => {
        mutation.reset()
        onClose()
      }}
      onConfirm={() => remove(entry, { onSuccess })}
    >
      {text(entry)}
    </ConfirmDialog>
  )
}
