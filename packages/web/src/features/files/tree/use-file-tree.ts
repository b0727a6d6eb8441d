import {
  buildProxiedInstance,
  hotkeysCoreFeature,
  propMemoizationFeature,
  syncDataLoaderFeature,
  type TreeInstance,
} from "@headless-tree/core"
import { useTree } from "@headless-tree/react"
import { type RefObject, useEffect, useMemo, useRef, useState } from "react"
import type { VirtualizerHandle } from "virtua"
import { foldersAbove, idOf, openFolders, ROOT_ID, type TreeEntry, type TreeIndex } from "./tree-index.ts"

const gone: TreeEntry = { path: "", name: "", kind: "file", children: [], fileCount: 0 }

/** Returns the open folders, the focused row, and the tree's keyboard handling. */
export function useFileTree(
  index: TreeIndex,
  active: string | null,
  list: RefObject<VirtualizerHandle | null>,
  onOpen: (path: string) => void,
) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [focused, setFocused] = useState<string | null>(null)
  const expandedItems = useMemo(() => openFolders(index, chosen), [index, chosen])
  const open = useMemo(() => new Set(expandedItems), [expandedItems])

  const tree = useTree<TreeEntry>({
    rootItemId: ROOT_ID,
    instanceBuilder: buildProxiedInstance,
    features: [syncDataLoaderFeature, hotkeysCoreFeature, propMemoizationFeature],
    dataLoader: {
      getItem: (id) => index.get(id) ?? gone,
      getChildren: (id) => [...(index.get(id)?.children ?? [])],
    },
    getItemName: (item) => item.getItemData().name,
    isItemFolder: (item) => item.getItemData().kind === "folder",
    // If a missing row had the focus, there would be no row to tab to.
    state: { expandedItems, focusedItem: focused !== null && isVisible(index, open, focused) ? focused : null },
    setFocusedItem: (next) => setFocused((before) => (typeof next === "function" ? next(before) : next)),
    setExpandedItems: (next) => {
      const wanted = new Set(typeof next === "function" ? next(expandedItems) : next)
      setChosen((before) => new Map([...before, ...differences(index, open, wanted)]))
    },
    onPrimaryAction: (item) => item.getItemData().kind === "file" && onOpen(item.getItemData().path),
    scrollToItem: (item) => list.current?.scrollToIndex(item.getItemMeta().index, { align: "nearest" }),
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was opened is shown when it was opened, not ever after
  useEffect(() => {
    if (active === null) return
    setFocused(idOf(active))
    setChosen((before) => new Map([...before, ...foldersAbove(active).map((folder) => [folder, true] as const)]))
    const at = tree.getItems().findIndex((item) => item.getId() === idOf(active))
    if (at >= 0) list.current?.scrollToIndex(at, { align: "nearest" })
  }, [active])
  useNeighbour(tree, focused, setFocused)
  return tree
}

/**
 * When the focused row disappears, focuses the row in its place. Otherwise the focus would go to the top of the page.
 */
function useNeighbour(tree: TreeInstance<TreeEntry>, focused: string | null, setFocused: (id: string | null) => void) {
  const items = tree.getItems()
  const last = useRef(0)
  useEffect(() => {
    const at = items.findIndex((item) => item.getId() === focused)
    if (focused === null || at >= 0) {
      last.current = Math.max(at, 0)
      return
    }
    setFocused(items[Math.min(last.current, items.length - 1)]?.getId() ?? null)
    if (document.activeElement === document.body) tree.updateDomFocus()
  }, [tree, items, focused, setFocused])
}

function isVisible(index: TreeIndex, open: ReadonlySet<string>, id: string): boolean {
  const entry = index.get(id)
  return entry !== undefined && foldersAbove(entry.path).every((folder) => open.has(idOf(folder)))
}

function differences(index: TreeIndex, open: ReadonlySet<string>, wanted: ReadonlySet<string>): [string, boolean][] {
  const ids = [...new Set([...open, ...wanted])].filter((id) => open.has(id) !== wanted.has(id))
  return ids.flatMap((id) => {
    const entry = index.get(id)
    return entry ? [[entry.path, wanted.has(id)] as [string, boolean]] : []
  })
}
