import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { Change, Manifest } from "../../files/workspaces/manifest.ts"
import { type WorkspacePath, workspacePath, workspacePathIfValid } from "../../files/workspaces/path.ts"
import type { Message } from "../../models/provider.ts"
import type { RunContext } from "../runs/run-context.ts"
import type { TeamDeps } from "./team-context.ts"

export type Reading = Pick<RunContext<unknown>, "sid" | "signal" | "catchUp">

export async function currentFiles(
  deps: Pick<TeamDeps, "blobs">,
  { sid, signal, catchUp }: Reading,
): Promise<Workspace> {
  return openWorkspace(deps, { sid, state: await catchUp() }, { signal })
}

/** Returns the text of a session file, or undefined if the file doesn't exist. */
export async function readIfThere(
  deps: Pick<TeamDeps, "blobs">,
  context: Reading,
  path: string,
): Promise<string | undefined> {
  const files = await currentFiles(deps, context)
  const valid = workspacePath(path)
  return files.stat(valid)?.type === "file" ? files.readText(valid, context) : undefined
}

export const publishedIn = (nodeId: string) => `nodes/${nodeId}/published`

export const scratchOf = (nodeId: string) => `nodes/${nodeId}/scratch`

/** Files in a command worker's working directory, used to communicate with the command. */
export const COMMAND_FILES = {
  task: "_task.md",
  context: "_context.json",
  inbox: "_inbox.md",
  outbox: "_outbox.md",
  result: "_result.md",
} as const

/**
 * Returns the folder that records a node's deletions: an empty file for each project file that the node's worker
 * deleted.
 */
export const deletedIn = (nodeId: string) => `nodes/${nodeId}/deleted`

/** A file written by a worker, with its path in the project. */
export type StagedFile = Extract<Change, { op: "write" }>

/** A file that a worker wrote, or a project file that it deleted. */
export type StagedChange = StagedFile | { op: "delete"; path: WorkspacePath }

/**
 * Returns a worker's unpublished changes for a node. Changes made by commands and edits are read from the node's
 * folders. Other writes and deletions are read from the worker's tool calls in the conversation.
 */
export function stagedChanges(
  messages: readonly Message[],
  { manifest }: Pick<Workspace, "manifest">,
  nodeId: string,
): Map<WorkspacePath, StagedChange> {
  const scratch = filesIn(manifest, `${scratchOf(nodeId)}/`)
  const deleted = filesIn(manifest, `${deletedIn(nodeId)}/`).map(deletion)
  const staged = new Map<WorkspacePath, StagedChange>()
  const stage = (change: StagedChange) => staged.set(change.path, change)
  // Edited and renamed files are in the node's scratch folder.
  const stageScratch = (path: WorkspacePath) => scratch.filter((file) => file.path === path).forEach(stage)
  for (const { name, args } of successfulCalls(messages)) {
    const given = args as { path: string; content: string; to: string }
    if (name === "bash") {
      staged.clear()
      for (const change of [...scratch, ...deleted]) stage(change)
    }
    if (name === "write_file") stage(writeChange(given.path, given.content))
    if (name === "edit_file") stageScratch(workspacePath(given.path))
    if (name === "delete_file" || name === "rename_file") stage(deletion({ path: workspacePath(given.path) }))
    if (name === "rename_file") stageScratch(workspacePath(given.to))
  }
  return staged
}

/** Returns the successful calls of a conversation, in order. */
export function successfulCalls(messages: readonly Message[]): { name: string; args: unknown; at: number }[] {
  return messages.flatMap((message, at) => {
    if (message.role !== "assistant") return []
    return (message.toolCalls ?? []).flatMap(({ name, args }, index) => {
      // Results follow their calls directly, in the same order.
      const result = messages[at + 1 + index]
      return result?.role === "tool" && !result.isError ? [{ name, args, at }] : []
    })
  })
}

function deletion({ path }: { path: WorkspacePath }): StagedChange {
  return { op: "delete", path }
}

/** Returns the files in a folder, with paths relative to the folder. */
function filesIn({ files }: Manifest, folder: string): StagedFile[] {
  return files.flatMap(({ path, ...file }): StagedFile[] => {
    const own = path.startsWith(folder) ? workspacePathIfValid(path.slice(folder.length)) : undefined
    return own ? [{ op: "write", path: own, file }] : []
  })
}

/** Returns the changes that published nodes make to the project. Later nodes override earlier ones. */
export function publishedChanges(
  { manifest }: Pick<Workspace, "manifest">,
  nodeIds: readonly string[],
): StagedChange[] {
  const changes = nodeIds.flatMap((nodeId) => [
    ...filesIn(manifest, `${deletedIn(nodeId)}/`).map(deletion),
    ...filesIn(manifest, `${publishedIn(nodeId)}/`),
  ])
  return [...new Map(changes.map((change) => [change.path, change])).values()]
}

/**
 * Returns the changes that can be applied to these files, with deletions first. Leaves out deletions of files that
 * don't exist.
 */
export function applicable({ files }: Manifest, changes: readonly StagedChange[]): StagedChange[] {
  const there = new Set<string>(files.map(({ path }) => path))
  const deletions = changes.filter(({ op, path }) => op === "delete" && there.has(path))
  return [...deletions, ...changes.filter(({ op }) => op === "write")]
}

export function writeChange(path: string, text: string): Extract<Change, { bytes: Uint8Array }> {
  return { op: "write", path: workspacePath(path), bytes: Buffer.from(text) }
}
