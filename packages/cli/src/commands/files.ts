import type { TreeNode } from "@switchyard/core/files/workspaces/schema"
import { formatBytes } from "@switchyard/core/text/format"
import type { Cli } from "../cli.ts"
import { type WorkspaceChoice, workspaceOf } from "./workspace-of.ts"

export async function files(cli: Cli, choice: WorkspaceChoice): Promise<void> {
  const workspaceId = await workspaceOf(cli, choice)
  const nodes = await cli.api.tree(workspaceId)
  if (nodes.length === 0) cli.terminal.notice(`There are no files in the workspace "${workspaceId}".`)
  for (const { path, size = 0 } of filesOf(nodes)) {
    if (cli.terminal.json) cli.terminal.printJson({ path, size })
    else cli.terminal.print(`${formatBytes(size).padStart(10)}  ${path}`)
  }
}

/** Returns all files in a tree: those among the nodes, and those in their descendants. */
export function filesOf(nodes: TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => (node.type === "file" ? [node] : filesOf(node.children ?? [])))
}
