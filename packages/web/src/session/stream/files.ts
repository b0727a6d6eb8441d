import { applyChanges, replayChange } from "@switchyard/core/files/workspaces/changes"
import type { Manifest, ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import { emptyManifest } from "@switchyard/core/files/workspaces/tree-model"
import { inlined, type StudioEvent } from "./event.ts"

/** The files at a moment, and which of them the latest run has touched. */
export interface FilesView {
  version: number
  /** Event that committed this version; 0 before the first. */
  committedSeq: number
  manifest: Manifest
  touched: ReadonlyMap<string, "new" | "changed">
  /** True after a commit whose changes are lost. The manifest may then be out of date. */
  incomplete: boolean
}

export const noFiles: FilesView = {
  version: 0,
  committedSeq: 0,
  manifest: emptyManifest,
  touched: new Map(),
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
  for (const { op, path } of changes) {
    if (op !== "write") touched.delete(path)
    // Edits between runs belong to no run.
    else if (event.run_id) touched.set(path, fileAt(files, path) ? (touched.get(path) ?? "changed") : "new")
  }
  return { ...place, manifest, touched, incomplete: files.incomplete }
}
