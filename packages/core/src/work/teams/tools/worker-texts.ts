import { type WorkspacePath, workspacePath } from "../../../files/workspaces/path.ts"
import { currentFiles, publishedIn, scratchOf, stagedFiles } from "../files.ts"
import { nodeOf, orThrow, teamOf } from "../refusals.ts"
import type { Member } from "./member.ts"

/** A worker at its node. */
export type Worker = Member & { nodeId: string }

/** The texts that concern a worker, at one moment. Each is undefined where there is no such text. */
export interface WorkerTexts {
  /** A file that the worker has made at its node. */
  own(path: WorkspacePath): Promise<string | undefined>
  /** The file in whose place one of the worker's will come: of a node on which its own builds, or of the project. */
  before(path: WorkspacePath): Promise<string | undefined>
}

export async function openWorkerTexts({ deps, context, messages, nodeId }: Worker): Promise<WorkerTexts> {
  const files = await currentFiles(deps, context)
  const staged = stagedFiles(messages, files, nodeId)
  return {
    async own(path) {
      const file = staged.get(path)
      if (!file) return undefined
      if ("bytes" in file) return Buffer.from(file.bytes).toString()
      // A command or an edit left it in the node's own folder.
      return files.readText(workspacePath(`${scratchOf(nodeId)}/${path}`), context)
    },
    async before(path) {
      const { dependsOn } = orThrow(nodeOf(orThrow(teamOf(context.state())), nodeId))
      const places = [...dependsOn.map((id) => workspacePath(`${publishedIn(id)}/${path}`)).reverse(), path]
      const place = places.find((one) => files.stat(one)?.type === "file")
      return place && files.readText(place, context).catch(() => undefined)
    },
  }
}
