import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { Change, Manifest } from "../../files/workspaces/manifest.ts"
import { type WorkspacePath, workspacePath, workspacePathIfValid } from "../../files/workspaces/path.ts"
import type { Message } from "../../models/provider.ts"
import type { RunContext } from "../runs/run-context.ts"
import type { TeamDeps } from "./team-context.ts"

type Reading = Pick<RunContext<unknown>, "sid" | "signal" | "catchUp">

/** The session's files as they are now. */
export async function currentFiles(
  deps: Pick<TeamDeps, "blobs">,
  { sid, signal, catchUp }: Reading,
): Promise<Workspace> {
  return openWorkspace(deps, { sid, state: await catchUp() }, { signal })
}

/** A text of the session, or undefined where there is none at this path. */
export async function readIfThere(
  deps: Pick<TeamDeps, "blobs">,
  context: Reading,
  path: string,
): Promise<string | undefined> {
  const files = await currentFiles(deps, context)
  const valid = workspacePath(path)
  return files.stat(valid)?.type === "file" ? files.readText(valid, context) : undefined
}

/** The team's own folders, which are no part of what it makes. */
const OWN_FOLDERS = /^(?:nodes|memory)\//

/** Whether a path of the session is one of the project, and not of the team that works on it. */
export function isProjectPath(path: string): boolean {
  return !OWN_FOLDERS.test(path)
}

export const publishedIn = (nodeId: string) => `nodes/${nodeId}/published`

export const scratchOf = (nodeId: string) => `nodes/${nodeId}/scratch`

/** The files by which a worker that is a command is told its work, and tells what it did. They are in the folder in which it starts. */
export const COMMAND_FILES = {
  task: "_task.md",
  context: "_context.json",
  inbox: "_inbox.md",
  outbox: "_outbox.md",
  result: "_result.md",
} as const

/** A file of a worker, by its path in the node. */
export type StagedFile = Extract<Change, { op: "write" }>

/**
 * The files that a worker has made in a node and not published: what its newest command and its edits left in the node's own
 * folder, and what it wrote, which is in its conversation.
 */
export function stagedFiles(
  messages: readonly Message[],
  { manifest }: Pick<Workspace, "manifest">,
  nodeId: string,
): Map<WorkspacePath, StagedFile> {
  const staged = new Map<WorkspacePath, StagedFile>()
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue
    for (const [index, { name, args }] of (message.toolCalls ?? []).entries()) {
      // Results follow their calls at once, and in their order.
      const result = messages[at + 1 + index]
      if (result?.role !== "tool" || result.isError) continue
      if (name === "bash") {
        staged.clear()
        for (const file of filesIn(manifest, `${scratchOf(nodeId)}/`)) staged.set(file.path, file)
      }
      if (name === "edit_file") {
        const path = workspacePath((args as { path: string }).path)
        const file = filesIn(manifest, `${scratchOf(nodeId)}/`).find((one) => one.path === path)
        if (file) staged.set(path, file)
      }
      if (name !== "write_file") continue
      const { path, content } = args as { path: string; content: string }
      const change = writeChange(path, content)
      staged.set(change.path, change)
    }
  }
  return staged
}

/** The files of a folder, each as it is written in another. */
function filesIn({ files }: Manifest, folder: string): StagedFile[] {
  return files.flatMap(({ path, ...file }): StagedFile[] => {
    const own = path.startsWith(folder) ? workspacePathIfValid(path.slice(folder.length)) : undefined
    return own ? [{ op: "write", path: own, file }] : []
  })
}

export function writeChange(path: string, text: string): Extract<Change, { bytes: Uint8Array }> {
  return { op: "write", path: workspacePath(path), bytes: Buffer.from(text) }
}

/** The published files of all nodes as files of the project; those of a later node take the place of an earlier one's. */
export async function projectChanges(
  deps: Pick<TeamDeps, "blobs">,
  context: Reading,
  nodeIds: readonly string[],
): Promise<Change[]> {
  const { manifest } = await currentFiles(deps, context)
  const changes = nodeIds.flatMap((nodeId) => filesIn(manifest, `${publishedIn(nodeId)}/`))
  return [...new Map(changes.map((change) => [change.path, change])).values()]
}
