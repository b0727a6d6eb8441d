import { workspacePath } from "@switchyard/core/files/workspaces/path"
import { formatCount } from "@switchyard/core/text/format"
import { useState } from "react"
import { ConfirmDialog, FormDialog } from "../../../ui/dialog.tsx"
import { errorText } from "../../../ui/error-text.ts"
import { Field } from "../../../ui/field.tsx"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { ErrorNotice } from "../../../ui/notice.tsx"
import { useAttempt } from "../../../ui/use-attempt.ts"
import type { Chosen } from "../upload/pack.ts"
import { idOf, type TreeEntry, type TreeIndex } from "./tree-index.ts"
import type { FileActions } from "./use-file-actions.ts"

/** Loaded with the first upload, because it includes the library that creates zips. */
const UploadDialog = lazyPart(async () => (await import("../upload/upload-dialog.tsx")).UploadDialog)

/** A change that the user has begun to specify. */
export type DraftChange =
  | { type: "file" | "folder"; folder: string }
  | { type: "rename"; entry: TreeEntry }
  | { type: "delete"; entry: TreeEntry }
  | { type: "upload"; chosen: Chosen }

interface Props {
  draft: DraftChange
  index: TreeIndex
  active: string | null
  actions: FileActions
  onOpen(path: string): void
  onClose(): void
}

/** Asks for the details of a change, and makes it. A renamed file stays open under its new path. */
export function TreeDialogs({ draft, index, active, actions, onOpen, onClose }: Props) {
  const taken = (path: string) => index.get(idOf(path)) !== undefined
  const asking = { taken, onClose }

  switch (draft.type) {
    case "file": {
      const create = async (path: string) => {
        await actions.createFile(path)
        onOpen(path)
      }
      return <PathDialog {...asking} title="New file" action="Create" start={within(draft.folder)} onDone={create} />
    }
    case "folder":
      return (
        <PathDialog
          {...asking}
          title="New folder"
          action="Create"
          start={within(draft.folder)}
          onDone={actions.createFolder}
        />
      )
    case "rename": {
      const { path: from, name } = draft.entry
      const rename = async (path: string) => {
        await actions.rename(from, path)
        if (active === from || active?.startsWith(`${from}/`)) onOpen(path + active.slice(from.length))
      }
      return <PathDialog {...asking} title={`Rename or move ${name}`} action="Rename" start={from} onDone={rename} />
    }
    case "delete":
      return <DeleteDialog entry={draft.entry} onDone={() => actions.remove(draft.entry.path)} onClose={onClose} />
    case "upload":
      return <UploadDialog chosen={draft.chosen} taken={taken} onUpload={actions.upload} onClose={onClose} />
  }
}

function within(folder: string): string {
  return folder === "" ? "" : `${folder}/`
}

interface PathProps {
  title: string
  action: string
  start: string
  /** Returns true if there is already a file or folder at a path. */
  taken(path: string): boolean
  onDone(path: string): Promise<void>
  onClose(): void
}

/** Asks for a path, and stays open until the server has accepted it. */
function PathDialog({ title, action, start, taken, onDone, onClose }: PathProps) {
  const [typed, setTyped] = useState(start)
  const [tried, setTried] = useState(false)
  const { attempt, busy, message } = useAttempt()
  const path = typed.trim()
  const fault =
    faultOf(path) ?? (path !== start && taken(path) ? "A file or folder with this name already exists." : null)
  async function submit(): Promise<void> {
    setTried(true)
    if (fault) return
    if (path === start || (await attempt(() => onDone(path)))) onClose()
  }
  return (
    <FormDialog title={title} action={action} blocked={busy} onSubmit={submit} onClose={onClose}>
      <Field
        label="Path"
        hint="Relative to the project root. New folders are created as needed."
        error={message ?? (tried ? fault : null)}
        value={typed}
        onChange={setTyped}
        onFocus={({ target }) => selectName(target)}
        verbatim
      />
    </FormDialog>
  )
}

function DeleteDialog({ entry, onDone, onClose }: { entry: TreeEntry; onDone(): Promise<void>; onClose(): void }) {
  const { attempt, busy, error } = useAttempt()
  const remove = async () => {
    if (await attempt(onDone)) onClose()
  }
  return (
    <ConfirmDialog
      title={`Delete ${entry.name}?`}
      action="Delete"
      busy={busy}
      failure={<ErrorNotice error={error} className="mb-3" />}
      onConfirm={remove}
      onClose={onClose}
    >
      <p className="text-sm">{wordsFor(entry)} Past versions stay in the session history.</p>
    </ConfirmDialog>
  )
}

function wordsFor({ kind, path, fileCount }: TreeEntry): string {
  if (kind === "file") return `${path} will be deleted.`
  if (fileCount === 0) return `The empty folder ${path} will be deleted.`
  return `${path} and its ${formatCount(fileCount, "file")} will be deleted.`
}

function faultOf(path: string): string | null {
  try {
    workspacePath(path)
    return null
  } catch (error) {
    return errorText(error)
  }
}

/** Selects the name without its extension, so that it can be typed over. */
function selectName(field: HTMLInputElement): void {
  const name = field.value.lastIndexOf("/") + 1
  const dot = field.value.lastIndexOf(".")
  field.setSelectionRange(name, dot > name ? dot : field.value.length)
}
