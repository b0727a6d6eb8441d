import { AppError } from "../../../errors.ts"
import { openWorkspace } from "../../../files/workspaces/files.ts"
import { workspacePathIfValid } from "../../../files/workspaces/path.ts"
import type { TreeNode } from "../../../files/workspaces/schema.ts"
import type { SessionHandle } from "../../../kernel/session-handle.ts"
import type { Blobs } from "../../../storage/blobs.ts"
import { withoutSlashes } from "../../../text/trim.ts"
import type { BrowsedFiles } from "../request-schema.ts"

/**
 * Returns a folder in a team's session, or the text of a file. `path` is relative to `root`, which is empty for the
 * whole session. Throws `forbidden` if the path leads outside `root`, `workspace_not_found` if nothing exists at the
 * path, and `workspace_binary_file` if the file isn't text.
 */
export async function browseFiles(
  deps: { blobs: Blobs },
  session: Pick<SessionHandle, "sid" | "state">,
  { root, path }: { root: "" | "memory"; path: string },
  options: { signal: AbortSignal },
): Promise<BrowsedFiles> {
  if (!session.state.team) throw new AppError("not_found", "This session has no team.")
  const relative = withoutSlashes(path.replace(/^\.(?:\/|$)/, ""))
  const files = await openWorkspace(deps, session, options)
  const whole = [root, relative].filter((part) => part !== "").join("/")
  const checked = workspacePathIfValid(whole)
  if (whole !== "" && !checked) throw new AppError("forbidden", "The path leads outside the team's files.")
  const found = checked ? files.stat(checked) : { type: "directory" as const }
  if (checked && found?.type === "file")
    return { type: "file", path: relative, content: await files.readText(checked, options) }
  // A memory without notes is treated as an empty folder.
  if (!found && relative !== "") throw new AppError("workspace_not_found", "This path doesn't exist.", { path })
  return { type: "dir", path: relative, entries: entriesOf(childrenAt(files.tree(), whole)) }
}

function childrenAt(tree: TreeNode[], path: string): TreeNode[] {
  const names = path === "" ? [] : path.split("/")
  return names.reduce((inside, name) => inside.find((node) => node.name === name)?.children ?? [], tree)
}

function entriesOf(nodes: TreeNode[]) {
  return nodes.map(({ name, type, size = 0 }) =>
    type === "file" ? { name, type, size } : { name, type: "dir" as const },
  )
}
