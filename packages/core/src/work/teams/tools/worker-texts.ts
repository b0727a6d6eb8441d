import { type WorkspacePath, workspacePath } from "../../../files/workspaces/path.ts"
import { currentFiles, publishedIn, scratchOf, stagedFiles } from "../files.ts"
import { nodeOf, orThrow, teamOf } from "../refusals.ts"
import type { Member } from "./member.ts"

/** A worker at its node. */
export type Worker = Member & { nodeId: string }

/** The text of a file that the worker has made at its node; undefined where it made none at this path. */
export async function ownText(worker: Worker, path: WorkspacePath): Promise<string | undefined> {
  const { deps, context, messages, nodeId } = worker
  const files = await currentFiles(deps, context)
  const staged = stagedFiles(messages, files, nodeId).get(path)
  if (!staged) return undefined
  if ("bytes" in staged) return Buffer.from(staged.bytes).toString()
  // What a command or an edit left is in the node's own folder.
  return files.readText(workspacePath(`${scratchOf(nodeId)}/${path}`), context)
}

/** The text in whose place a file of the worker's will come: what a node on which it builds made of it, or the project has. */
export async function textBefore({ deps, context, nodeId }: Worker, path: WorkspacePath): Promise<string | undefined> {
  const files = await currentFiles(deps, context)
  const { dependsOn } = orThrow(nodeOf(orThrow(teamOf(context.state())), nodeId))
  const places = [...dependsOn.map((id) => workspacePath(`${publishedIn(id)}/${path}`)).reverse(), path]
  const place = places.find((one) => files.stat(one)?.type === "file")
  return place && files.readText(place, context).catch(() => undefined)
}
