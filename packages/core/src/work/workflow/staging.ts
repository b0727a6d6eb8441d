import { AppError } from "../../errors.ts"
import type { Workspace } from "../../files/workspaces/files.ts"
import type { Change } from "../../files/workspaces/manifest.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { editableBytes } from "../../files/workspaces/text.ts"

/** The files of a workspace with those that one step of the coder has written, in memory until they are committed. */
export interface Draft {
  /** Throws as `Workspace.readText` does. */
  read(path: WorkspacePath, options: { signal: AbortSignal }): Promise<string>
  /** Throws `workspace_conflict` where the path is a folder or has a file as a parent. */
  write(path: WorkspacePath, text: string): void
  /** Every file, or those in a folder. Throws `workspace_not_found` where there is no such folder. */
  list(folder?: WorkspacePath): WorkspacePath[]
  exists(path: WorkspacePath): boolean
  hasWritten(path: WorkspacePath): boolean
  /** The files that the step has written, in the order of their first writing. */
  written(): WorkspacePath[]
  /** Decides to leave a file as it is. Throws `workspace_not_found` where there is none. */
  keep(path: WorkspacePath, reason: string): void
  reasonToKeep(path: WorkspacePath): string | undefined
  /** The changes to commit, each only over the file as it was when the step began. */
  changes(): Change[]
  /** Moves the draft to a newer version. Drops and returns the written files that have changed there. */
  rebase(newer: Workspace): WorkspacePath[]
}

export function createDraft(workspace: Workspace): Draft {
  let base = workspace
  const kept = new Map<WorkspacePath, string>()
  const written = new Map<WorkspacePath, { text: string; bytes: Uint8Array }>()

  return {
    async read(path, options) {
      return written.get(path)?.text ?? base.readText(path, options)
    },
    write(path, text) {
      const obstacle = obstacleAt(base, path) ?? obstacleAmong([...written.keys()], path)
      if (obstacle) throw new AppError("workspace_conflict", obstacle, { path })
      written.set(path, { text, bytes: editableBytes(text, path) })
    },
    list(folder) {
      const files = [...new Set([...base.manifest.files.map(({ path }) => path), ...written.keys()])].sort()
      if (folder === undefined) return files
      const inside = files.filter((path) => path.startsWith(`${folder}/`))
      if (inside.length > 0 || base.stat(folder)?.type === "directory") return inside
      const reason = files.includes(folder) ? "This path is a file, not a folder." : "There is no such folder."
      throw new AppError("workspace_not_found", reason, { path: folder })
    },
    exists: (path) => written.has(path) || base.stat(path)?.type === "file",
    hasWritten: (path) => written.has(path),
    written: () => [...written.keys()],
    keep(path, reason) {
      if (base.stat(path)?.type !== "file") {
        throw new AppError("workspace_not_found", "There is no file at this path yet: it must be written.", { path })
      }
      kept.set(path, reason)
    },
    reasonToKeep: (path) => kept.get(path),
    changes() {
      return [...written].map(([path, { bytes }]) => ({ op: "write", path, bytes, ifSha256: sha256At(base, path) }))
    },
    rebase(newer) {
      const dropped = [...written.keys()].filter(
        (path) => sha256At(base, path) !== sha256At(newer, path) || obstacleAt(newer, path) !== undefined,
      )
      for (const path of dropped) written.delete(path)
      base = newer
      return dropped
    },
  }
}

/** The reason for which no file can be written at a path, if any. */
export function obstacleAt(files: Pick<Workspace, "stat">, path: WorkspacePath): string | undefined {
  if (files.stat(path)?.type === "directory") return `The path ${path} is a folder of the project.`
  const file = parentsOf(path).find((parent) => files.stat(parent)?.type === "file")
  return file && `The path ${path} lies in ${file}, which is a file of the project.`
}

function obstacleAmong(paths: WorkspacePath[], path: WorkspacePath): string | undefined {
  if (paths.some((other) => other.startsWith(`${path}/`))) return `The path ${path} is a folder of the project.`
  const file = parentsOf(path).find((parent) => paths.includes(parent))
  return file && `The path ${path} lies in ${file}, which is a file of the project.`
}

function parentsOf(path: WorkspacePath): WorkspacePath[] {
  const segments = path.split("/")
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/") as WorkspacePath)
}

function sha256At(files: Workspace, path: WorkspacePath): string | null {
  const found = files.stat(path)
  return found?.type === "file" ? found.sha256 : null
}
