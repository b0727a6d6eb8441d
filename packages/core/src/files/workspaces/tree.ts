import type { TreeNode } from "./schema.ts"
import { type Folder, isFolder } from "./tree-model.ts"

/**
 * Returns a folder's content as tree nodes. Folders come first, and nodes are sorted by name ignoring case, then by
 * exact name.
 */
export function treeNodes(folder: Folder, prefix = ""): TreeNode[] {
  const nodes = [...folder].map(([name, node]): TreeNode => {
    const path = `${prefix}${name}`
    if (!isFolder(node)) return { name, path, type: "file", size: node.size }
    return { name, path, type: "directory", children: treeNodes(node, `${path}/`) }
  })
  return nodes.sort(inTreeOrder)
}

function inTreeOrder(a: TreeNode, b: TreeNode): number {
  if (a.type !== b.type) return a.type === "directory" ? -1 : 1
  return compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
