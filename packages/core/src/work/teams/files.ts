import { openWorkspace, type Workspace } from "../../files/workspaces/files.ts"
import type { Change } from "../../files/workspaces/manifest.ts"
import { workspacePath, workspacePathIfValid } from "../../files/workspaces/path.ts"
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

export const publishedIn = (nodeId: string) => `nodes/${nodeId}/published`

/** The files that a worker has written in a node and not published, from its own conversation. */
export function stagedFiles(messages: readonly Message[]): Map<string, string> {
  const staged = new Map<string, string>()
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue
    for (const [index, { name, args }] of (message.toolCalls ?? []).entries()) {
      // Results follow their calls at once, and in their order.
      const result = messages[at + 1 + index]
      if (name !== "write_file" || result?.role !== "tool" || result.isError) continue
      const { path, content } = args as { path: string; content: string }
      staged.set(workspacePath(path), content)
    }
  }
  return staged
}

export function writeChange(path: string, text: string): Change {
  return { op: "write", path: workspacePath(path), bytes: Buffer.from(text) }
}

/** The published files of all nodes as files of the project; those of a later node take the place of an earlier one's. */
export async function projectChanges(
  deps: Pick<TeamDeps, "blobs">,
  context: Reading,
  nodeIds: readonly string[],
): Promise<Change[]> {
  const files = await currentFiles(deps, context)
  const changes = new Map<string, Change>()
  for (const nodeId of nodeIds) {
    const folder = `${publishedIn(nodeId)}/`
    for (const { path, mode, ...file } of files.manifest.files.filter((one) => one.path.startsWith(folder))) {
      const target = workspacePathIfValid(path.slice(folder.length))
      if (target) changes.set(target, { op: "write", path: target, file: { ...file, mode } } as Change)
    }
  }
  return [...changes.values()]
}
