import { applyChanges, replayChange } from "@switchyard/core/files/workspaces/changes"
import type { Manifest, ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { emptyManifest } from "@switchyard/core/files/workspaces/tree-model"
import { inlined, type StudioEvent } from "./event.ts"
import { MAIN } from "./run.ts"

/** The files at a moment, and which of them the latest run has touched. */
export interface FilesView {
  version: number
  /** Event that committed this version; 0 before the first. */
  committedSeq: number
  manifest: Manifest
  touched: ReadonlyMap<string, "new" | "changed">
  /** Agents whose runs wrote the current versions of files, or `RESTORE`. Files last saved by a person are absent. */
  writers: ReadonlyMap<string, string>
  /** True after a commit whose changes are lost. The manifest may then be out of date. */
  incomplete: boolean
}

/** Writer of files that were restored from an earlier version. No agent's ID has a space. */
export const RESTORE = "a restore"

export const noFiles: FilesView = {
  version: 0,
  committedSeq: 0,
  manifest: emptyManifest,
  touched: new Map(),
  writers: new Map(),
  incomplete: false,
}

export function reduceFiles(files: FilesView, event: StudioEvent): FilesView {
  switch (event.type) {
    case "session_opened":
    case "session_deleted":
      return noFiles
    case "run_created":
      return files.touched.size > 0 ? { ...files, touched: new Map() } : files
    case "workspace_committed":
      return committed(files, event)
    default:
      return files
  }
}

export function fileAt({ manifest }: FilesView, path: string): ManifestFile | undefined {
  return manifest.files.find((file) => file.path === path)
}

function committed(files: FilesView, event: Extract<StudioEvent, { type: "workspace_committed" }>): FilesView {
  const changes = inlined(event.changes)
  const place = { version: event.version, committedSeq: event.seq }
  if (!changes) return { ...files, ...place, incomplete: true }
  const { manifest } = applyChanges(files.manifest, changes.map(replayChange))
  const touched = new Map(files.touched)
  const writers = new Map(files.writers)
  for (const { op, path } of changes) {
    if (op === "write" && event.restores) writers.set(path, RESTORE)
    else if (op === "write" && event.run_id) writers.set(path, event.agent_id ?? MAIN)
    else writers.delete(path)
    if (op !== "write") touched.delete(path)
    // Edits between runs belong to no run.
    else if (event.run_id) touched.set(path, fileAt(files, path) ? (touched.get(path) ?? "changed") : "new")
  }
  return { ...place, manifest, touched, writers, incomplete: files.incomplete }
}
