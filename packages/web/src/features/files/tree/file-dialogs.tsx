import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { errorText } from "../../../api/error-text.ts"
import { Button } from "../../../ui/button.tsx"
import { Dialog } from "../../../ui/dialog.tsx"
import { Field } from "../../../ui/field.tsx"
import type { TreeEntry } from "./tree-index.ts"

interface PathProps {
  title: string
  /** The button's label. */
  action: string
  start: string
  /** Whether there is a file or folder at a path already. */
  taken(path: string): boolean
  onDone(path: string): Promise<void>
  onClose(): void
}

/** Asks for a path, and stays open until the server has accepted it. */
export function PathDialog({ title, action, start, taken, onDone, onClose }: PathProps) {
  const [typed, setTyped] = useState(start)
  const [tried, setTried] = useState(false)
  const { run, busy, refusal } = useOnce()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => selectName(form.current?.querySelector("input")), [])
  const path = typed.trim()
  const fault =
    faultOf(path) ?? (path !== start && taken(path) ? "A file or folder with this name already exists." : null)

  function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if (fault || busy) return
    if (path === start) return onClose()
    run(async () => {
      await onDone(path)
      onClose()
    })
  }

  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" type="submit" form="file-path" disabled={busy}>
            {action}
          </Button>
        </>
      }
    >
      <form ref={form} id="file-path" onSubmit={submit}>
        <Field
          label="Path"
          hint="Relative to the project root. Missing folders are created."
          error={refusal ?? (tried ? fault : null)}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
      </form>
    </Dialog>
  )
}

/** Confirms a deletion. */
export function DeleteDialog({
  entry,
  onDone,
  onClose,
}: {
  entry: TreeEntry
  onDone(): Promise<void>
  onClose(): void
}) {
  const { run, busy, refusal } = useOnce()
  const remove = () =>
    run(async () => {
      await onDone()
      onClose()
    })
  return (
    <Dialog
      title={`Delete ${entry.name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" onClick={remove} disabled={busy}>
            Delete
          </Button>
        </>
      }
    >
      <p className="text-sm">{wordsFor(entry)} You can still see it in the session history.</p>
      {refusal && (
        <p role="alert" className="mt-3 text-sm text-err">
          {refusal}
        </p>
      )}
    </Dialog>
  )
}

function wordsFor({ kind, path, fileCount }: TreeEntry): string {
  if (kind === "file") return `${path} will be deleted.`
  if (fileCount === 0) return `The empty folder ${path} will be deleted.`
  return `${path} will be deleted, with ${fileCount === 1 ? "1 file" : `${fileCount} files`} in it.`
}

/** Runs an action once at a time, and keeps the server's refusal. */
function useOnce() {
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const run = async (work: () => Promise<void>) => {
    setBusy(true)
    setRefusal(null)
    try {
      await work()
    } catch (error) {
      setRefusal(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  return { run, busy, refusal }
}

function faultOf(path: string): string | null {
  try {
    workspacePath(path)
    return null
  } catch (error) {
    return errorText(error)
  }
}

/** The name without its extension, which is selected to be typed over. */
function selectName(field: HTMLInputElement | null | undefined): void {
  if (!field) return
  field.focus()
  const name = field.value.lastIndexOf("/") + 1
  const dot = field.value.lastIndexOf(".")
  field.setSelectionRange(name, dot > name ? dot : field.value.length)
}
