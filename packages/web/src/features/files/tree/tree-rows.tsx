import { type KeyboardEvent, useRef, useState } from "react"
import { Virtualizer, type VirtualizerHandle } from "virtua"
import { Menu, type MenuItem } from "../../../ui/menu.tsx"
import type { DraftChange } from "./tree-dialogs.tsx"
import type { TreeEntry, TreeIndex } from "./tree-index.ts"
import { type Mark, TreeRow } from "./tree-row.tsx"
import { useFileTree } from "./use-file-tree.ts"

interface Props {
  index: TreeIndex
  touched: ReadonlyMap<string, "new" | "changed">
  active: string | null
  writing: readonly string[]
  unsaved: ReadonlySet<string>
  onOpen(path: string): void
  onDraft?(draft: DraftChange): void
}

/** The visible rows, and the keys that act on them. */
export function TreeRows({ index, touched, active, writing, unsaved, onOpen, onDraft }: Props) {
  const list = useRef<VirtualizerHandle>(null)
  const tree = useFileTree(index, active, list, onOpen)
  const [menu, setMenu] = useState<{ entry: TreeEntry; anchor: HTMLElement } | null>(null)
  const items = tree.getItems()
  const focusedAt = items.findIndex((item) => item.isFocused())

  function openMenu(entry: TreeEntry, anchor: HTMLElement) {
    if (onDraft && isThere(entry)) setMenu({ entry, anchor })
  }

  function pressed(event: KeyboardEvent<HTMLElement>) {
    const item = tree.getFocusedItem()
    const row = item?.getElement()
    if (!item || !row || event.target !== row || event.ctrlKey || event.metaKey || event.altKey) return
    const entry = item.getItemData()
    const keys: Record<string, () => void> = {
      Enter: () => row.click(),
      " ": () => row.click(),
      F2: () => onDraft && isThere(entry) && onDraft({ type: "rename", entry }),
      Delete: () => onDraft && isThere(entry) && onDraft({ type: "delete", entry }),
      ContextMenu: () => openMenu(entry, row),
    }
    const act = event.key === "F10" && event.shiftKey ? keys.ContextMenu : keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }

  return (
    <>
      <div
        {...tree.getContainerProps("Files")}
        role="tree"
        onKeyDown={pressed}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain py-1"
      >
        <Virtualizer ref={list} data={items} keepMounted={focusedAt < 0 ? [] : [focusedAt]} startMargin={4}>
          {(item) => (
            <TreeRow
              key={item.getKey()}
              item={item}
              active={item.getItemData().path === active}
              mark={markOf(item.getItemData(), touched, writing)}
              unsaved={unsaved.has(item.getItemData().path)}
              onMenu={onDraft && openMenu}
            />
          )}
        </Virtualizer>
      </div>
      {menu && onDraft && (
        <RowMenu entry={menu.entry} anchor={menu.anchor} onDraft={onDraft} onClose={() => setMenu(null)} />
      )}
    </>
  )
}

function markOf({ path, kind }: TreeEntry, touched: Props["touched"], writing: readonly string[]): Mark {
  if (kind === "folder") return null
  return writing.includes(path) ? "writing" : (touched.get(path) ?? null)
}

/** Returns false for a file being written for the first time, which can't be renamed yet. */
function isThere({ kind, file }: TreeEntry): boolean {
  return kind === "folder" || file !== undefined
}

interface RowMenuProps {
  entry: TreeEntry
  anchor: HTMLElement
  onDraft(draft: DraftChange): void
  onClose(): void
}

function RowMenu({ entry, anchor, onDraft, onClose }: RowMenuProps) {
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
