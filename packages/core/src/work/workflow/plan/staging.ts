import { AppError } from "../../../errors.ts"
import { sha256Of } from "../../../files/workspaces/blob-store.ts"
import type { Workspace } from "../../../files/workspaces/files.ts"
import type { Change } from "../../../files/workspaces/manifest.ts"
import type { WorkspacePath } from "../../../files/workspaces/path.ts"
import { editableBytes } from "../../../files/workspaces/text.ts"

/** Files of a workspace including the changes of one step, which stay in memory until they are committed. */
export type Draft = ReturnType<typeof createDraft>

/** A file in the draft: written, moved from another path in the workspace, or both. */
interface DraftFile {
  movedFrom?: WorkspacePath
  written?: { text: string; bytes: Uint8Array }
}

export function createDraft(workspace: Workspace) {
  let base = workspace
  const kept = new Map<WorkspacePath, string>()
  const files = new Map<WorkspacePath, DraftFile>()
  const deleted = new Set<WorkspacePath>()

  const sources = () => [...files.values()].flatMap(({ movedFrom }) => movedFrom ?? [])
  const isInBase = (path: WorkspacePath) => base.stat(path)?.type === "file"
  const isGone = (path: WorkspacePath) => deleted.has(path) || sources().includes(path)
  const exists = (path: WorkspacePath): boolean => files.has(path) || (isInBase(path) && !isGone(path))

  function assertExists(path: WorkspacePath): void {
    if (!exists(path)) throw new AppError("workspace_not_found", "There is no file at this path.", { path })
  }

  function assertFree(path: WorkspacePath): void {
    const obstacle = obstacleAt(base, path) ?? obstacleAmong([...files.keys()], path)
    if (obstacle) throw new AppError("workspace_conflict", obstacle, { path })
  }

  return {
    /** Returns a file's current text. Throws the same errors as `Workspace.readText`. */
    async read(path: WorkspacePath, options: { signal: AbortSignal }): Promise<string> {
      const { written, movedFrom } = files.get(path) ?? {}
      if (written) return written.text
      if (!movedFrom && isGone(path)) assertExists(path)
      return base.readText(movedFrom ?? path, options)
    },
    /** Throws `workspace_conflict` if the path is a folder or one of its parents is a file. */
    write(path: WorkspacePath, text: string): void {
      assertFree(path)
      const bytes = editableBytes(text, path)
      deleted.delete(path)
      files.set(path, { ...files.get(path), written: { text, bytes } })
    },
    /** Throws `workspace_not_found` if the file doesn't exist. */
    delete(path: WorkspacePath): void {
      assertExists(path)
      const source = files.get(path)?.movedFrom ?? path
      files.delete(path)
      if (isInBase(source) && !sources().includes(source)) deleted.add(source)
    },
    /** Throws `workspace_not_found` if the file doesn't exist, or `workspace_conflict` if the new path is taken. */
    rename(from: WorkspacePath, to: WorkspacePath): void {
      assertExists(from)
      if (exists(to) || isInBase(to)) throw new AppError("workspace_conflict", "The new path is taken.", { path: to })
      assertFree(to)
      const file = files.get(from)
      const movedFrom = file ? file.movedFrom : from
      files.delete(from)
      files.set(to, { ...(movedFrom && { movedFrom }), ...(file?.written && { written: file.written }) })
    },
    /** Lists all files, or those in a folder. Throws `workspace_not_found` if the folder doesn't exist. */
    list(folder?: WorkspacePath): WorkspacePath[] {
      const all = [...new Set([...base.manifest.files.map(({ path }) => path), ...files.keys()])].filter(exists).sort()
      if (folder === undefined) return all
      const inside = all.filter((path) => path.startsWith(`${folder}/`))
      if (inside.length > 0 || base.stat(folder)?.type === "directory") return inside
      const reason = all.includes(folder) ? "This path is a file, not a folder." : "There is no such folder."
      throw new AppError("workspace_not_found", reason, { path: folder })
    },
    exists,
    hasWritten: (path: WorkspacePath): boolean => files.get(path)?.written !== undefined,
    /** Returns the files that differ from those in the workspace, including deleted files. */
    changed: (): WorkspacePath[] => {
      const differs = ([path, { movedFrom, written }]: [WorkspacePath, DraftFile]) =>
        movedFrom !== undefined || (written && sha256Of(written.bytes) !== sha256At(base, path))
      const gone = [...deleted, ...sources()].filter((path) => !files.has(path))
      return [...[...files].filter(differs).map(([path]) => path), ...gone]
    },
    /** Returns the files written by the step, in the order of their first write. */
    written: (): WorkspacePath[] => [...files].flatMap(([path, { written }]) => (written ? [path] : [])),
    /** Leaves the file unchanged, and records the reason. Throws `workspace_not_found` if the file doesn't exist. */
    keep(path: WorkspacePath, reason: string): void {
      if (!exists(path)) {
        throw new AppError("workspace_not_found", "There is no file at this path yet. It must be written.", { path })
      }
      kept.set(path, reason)
    },
    reasonToKeep: (path: WorkspacePath): string | undefined => kept.get(path),
    /**
     * Returns the changes to commit. Each change applies only if its file hasn't changed since the draft's base
     * version.
     */
    changes: (): Change[] => [...moves(base, files), ...deletions(base, deleted), ...writes(base, files)],
    /**
     * Rebases the draft onto a newer version of the workspace. Drops the files that were changed in both, and returns
     * them.
     */
    rebase(newer: Workspace): WorkspacePath[] {
      const isChanged = (path: WorkspacePath) => sha256At(base, path) !== sha256At(newer, path)
      const dropped: WorkspacePath[] = []
      for (const [path, { movedFrom = path }] of files) {
        if (!isChanged(movedFrom) && !isChanged(path) && obstacleAt(newer, path) === undefined) continue
        files.delete(path)
        dropped.push(path)
      }
      for (const path of deleted) {
        if (!isChanged(path)) continue
        deleted.delete(path)
        dropped.push(path)
      }
      base = newer
      return dropped
    },
  }
}

function moves(base: Workspace, files: Map<WorkspacePath, DraftFile>): Change[] {
  return [...files].flatMap(([path, { movedFrom }]) =>
    movedFrom ? [{ op: "rename" as const, fromPath: movedFrom, path, ifSha256: sha256At(base, movedFrom) ?? "" }] : [],
  )
}

function deletions(base: Workspace, deleted: Set<WorkspacePath>): Change[] {
  return [...deleted].map((path) => ({ op: "delete", path, ifSha256: sha256At(base, path) ?? "" }))
}

/**
 * Returns the draft's writes. They come last in a commit, because a path from which a file was moved or deleted may be
 * written again.
 */
function writes(base: Workspace, files: Map<WorkspacePath, DraftFile>): Change[] {
  const vacated = new Set([...files.values()].map(({ movedFrom }) => movedFrom))
  return [...files].flatMap(([path, { movedFrom, written }]) => {
    if (!written) return []
    const before = vacated.has(path) ? null : sha256At(base, movedFrom ?? path)
    return [{ op: "write" as const, path, bytes: written.bytes, ifSha256: before }]
  })
}

/** Returns the reason why a file can't be written at a path, or undefined if it can. */
export function obstacleAt(files: Pick<Workspace, "stat">, path: WorkspacePath): string | undefined {
  if (files.stat(path)?.type === "directory") return `The path ${path} is a folder of the project.`
  const file = parentsOf(path).find((parent) => files.stat(parent)?.type === "file")
  return file && `The path ${path} is inside ${file}, which is a file of the project and not a folder.`
}

function obstacleAmong(paths: WorkspacePath[], path: WorkspacePath): string | undefined {
  if (paths.some((other) => other.startsWith(`${path}/`))) return `The path ${path} is a folder of the project.`
  const file = parentsOf(path).find((parent) => paths.includes(parent))
  return file && `The path ${path} is inside ${file}, which is a file of the project and not a folder.`
}

function parentsOf(path: WorkspacePath): WorkspacePath[] {
  const segments = path.split("/")
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("/") as WorkspacePath)
}

function sha256At(files: Workspace, path: WorkspacePath): string | null {
  const found = files.stat(path)
  return found?.type === "file" ? found.sha256 : null
}
