import type { Workspace } from "../../../files/workspaces/files.ts"
import { type WorkspacePath, workspacePath } from "../../../files/workspaces/path.ts"
import { currentFiles, type StagedChange, scratchOf, stagedChanges } from "../files.ts"
import { openProject } from "../project.ts"
import type { Member } from "./member.ts"

/** A worker with its node. */
export type Worker = Member & { nodeId: string }

/** Snapshot of the files relevant to a worker. */
export interface WorkerTexts {
  /** The worker's unpublished changes. */
  staged: ReadonlyMap<WorkspacePath, StagedChange>
  /** The files that the node builds on. */
  project: Workspace
  /** Returns the worker's own version of a text file, or undefined if the worker has none. */
  own(path: WorkspacePath): Promise<string | undefined>
  /**
   * Returns the project's version of a text file, which the worker's version will replace. Undefined if the project has
   * none.
   */
  before(path: WorkspacePath): Promise<string | undefined>
}

export async function openWorkerTexts({ deps, context, messages, nodeId }: Worker): Promise<WorkerTexts> {
  const project = await openProject(deps, context, nodeId)
  const files = await currentFiles(deps, context)
  const staged = stagedChanges(messages, files, nodeId)
  return {
    staged,
    project,
    async own(path) {
      const file = staged.get(path)
      if (file?.op !== "write") return undefined
      if ("bytes" in file) return Buffer.from(file.bytes).toString()
      // Commands and edits leave files in the node's scratch folder.
      return files.readText(workspacePath(`${scratchOf(nodeId)}/${path}`), context)
    },
    async before(path) {
      if (project.stat(path)?.type !== "file") return undefined
      return project.readText(path, context).catch(() => undefined)
    },
  }
}
