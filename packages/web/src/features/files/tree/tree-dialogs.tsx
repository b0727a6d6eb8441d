import { Suspense } from "react"
import { lazyPart } from "../../../ui/lazy-part.ts"
import type { Chosen } from "../upload/pack.ts"
import { DeleteDialog, PathDialog } from "./file-dialogs.tsx"
import { idOf, type TreeEntry, type TreeIndex } from "./tree-index.ts"
import type { FileActions } from "./use-file-actions.ts"

/** Loaded with the first upload, for it brings what makes zips. */
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

/** Asks for the rest of a change and makes it. A renamed file stays open under its new path. */
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
      return (
        <Suspense>
          <UploadDialog chosen={draft.chosen} taken={taken} onUpload={actions.upload} onClose={onClose} />
        </Suspense>
      )
  }
}

function within(folder: string): string {
  return folder === "" ? "" : `${folder}/`
}
