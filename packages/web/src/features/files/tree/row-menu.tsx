import { Menu, type MenuItem } from "../../../ui/menu.tsx"
import type { DraftChange } from "./tree-dialogs.tsx"
import type { TreeEntry } from "./tree-index.ts"

interface Props {
  entry: TreeEntry
  anchor: HTMLElement
  onDraft(draft: DraftChange): void
  onClose(): void
}

/** The actions on one row. */
export function RowMenu({ entry, anchor, onDraft, onClose }: Props) {
  return (
    <Menu label={`Actions for ${entry.name}`} items={actionsOn(entry, onDraft)} anchor={anchor} onClose={onClose} />
  )
}

function actionsOn(entry: TreeEntry, onDraft: (draft: DraftChange) => void): MenuItem[] {
  const inside: MenuItem[] = [
    { name: "New file here", run: () => onDraft({ type: "file", folder: entry.path }) },
    { name: "New folder here", run: () => onDraft({ type: "folder", folder: entry.path }) },
  ]
  return [
    ...(entry.kind === "folder" ? inside : []),
    { name: "Rename or move", key: "F2", run: () => onDraft({ type: "rename", entry }) },
    { name: "Delete", key: "Del", run: () => onDraft({ type: "delete", entry }) },
  ]
}
