import type { Workspace } from "../../../files/workspaces/files.ts"
import { type WorkspacePath, workspacePath } from "../../../files/workspaces/path.ts"
import { currentFiles, type StagedChange, scratchOf, stagedChanges } from "../files.ts"
import { openProject } from "../project.ts"
import type { Member } from "./member.ts"

/** A worker at its node. */
export type Worker = Member & { nodeId: string }

/** Files that concern a worker, at one moment. */
export interface WorkerTexts {
  /** The worker's changes at its node. */
  staged: ReadonlyMap<WorkspacePath, StagedChange>
  /** The files it builds on. */
  project: Workspace
  /** Returns the worker's own text at its node. Undefined if there is none. */
  own(path: WorkspacePath): Promise<string | undefined>
  /** Returns the text that the worker's text will replace. Undefined if there is none. */
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
      // A command or an edit left it in the node's own folder.
      return files.readText(workspacePath(`${scratchOf(nodeId)}/${path}`), context)
    },
    async before(path) {
      if (project.stat(path)?.type !== "file") return undefined
      return project.readText(path, context).catch(() => undefined)
    },
  }
}
