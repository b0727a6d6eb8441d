import { rm } from "node:fs/promises"
import { join } from "node:path"
import { isAppError } from "@switchyard/core/errors"
import { sha256Of, type WorkspaceStore } from "@switchyard/core/files/workspaces/blob-store"
import type { Manifest, ManifestFile } from "@switchyard/core/files/workspaces/manifest"
import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import { readAll } from "@switchyard/core/storage/blobs"
import * as z from "zod"
import { readIfExists, writeAtomically } from "../files/atomic-json.ts"
import type { Files } from "../files/files.ts"
import type { ImportedFile } from "../git/worktrees/import-files.ts"

const Level = z.object({ manifest: z.string().nullable() })

/** Returns the version of the session's files that a worktree was last in sync with. Undefined if it never was. */
export async function readSyncedVersion(notes: string): Promise<string | null | undefined> {
  const text = await readIfExists(syncedVersionFile(notes))
  return text === undefined ? undefined : Level.parse(JSON.parse(text)).manifest
}

export function writeSyncedVersion(notes: string, manifest: string | null): Promise<void> {
  return writeAtomically(syncedVersionFile(notes), { manifest })
}

/** Clears the synced version. Must be called when the worktree is replaced. */
export function clearSyncedVersion(notes: string): Promise<void> {
  return rm(syncedVersionFile(notes), { force: true })
}

const syncedVersionFile = (notes: string) => `${notes}.level.json`

/** Changes to the session's files since a worktree was last in sync with them. */
export interface SyncedChanges {
  files: ManifestFile[]
  deleted: WorkspacePath[]
}

/**
 * Writes all files to the worktree that have changed in the session since the last sync. Leaves all other files as they
 * are, because an agent may have changed them, and its runner may have died before saving them. With `again`, also
 * restores missing files.
 */
export async function syncFiles(
  disk: Files,
  root: string,
  {
    manifest,
    level,
    store,
    again,
    mayDelete = () => true,
    mayWrite = () => true,
  }: {
    manifest: string | null
    level: string | null | undefined
    store: WorkspaceStore
    again: boolean
    mayDelete?: (path: WorkspacePath) => boolean
    mayWrite?: (path: WorkspacePath) => boolean
  },
  options: { signal: AbortSignal },
): Promise<SyncedChanges> {
  const before = level === undefined ? new Map<string, ManifestFile>() : await filesOf(store, level, options)
  const { files } = await store.readManifest(manifest, options)
  const changed: ManifestFile[] = []
  for (const file of files) {
    options.signal.throwIfAborted()
    const { path, sha256, mode } = file
    const known = before.get(path)
    const isOld = known?.sha256 === sha256 && known.mode === mode
    if (!isOld) changed.push(file)
    if (!mayWrite(path)) continue
    if (isOld && !(again && !(await disk.exists(join(root, path))))) continue
    if ((await standing(disk, root, path)) === `${sha256} ${isExecutable(mode)}`) continue
    await disk.replace(root, path, mode, await bytesOf(store, sha256, options))
  }
  const kept = new Set(files.map(({ path }) => path))
  const deleted = [...before.values()].filter(({ path }) => !kept.has(path) && mayDelete(path))
  for (const { path, sha256, mode } of deleted) {
    if ((await standing(disk, root, path)) === `${sha256} ${isExecutable(mode)}`) await disk.unlink(join(root, path))
  }
  return { files: changed, deleted: deleted.map(({ path }) => path) }
}

/** Converts files so that they can be imported into git. */
export function toImportedFiles(store: WorkspaceStore, files: ManifestFile[]): ImportedFile[] {
  return files.map(({ path, sha256, mode }) => ({ path, mode, read: (options) => bytesOf(store, sha256, options) }))
}

async function bytesOf(store: WorkspaceStore, sha256: string, options: { signal: AbortSignal }): Promise<Buffer> {
  return readAll(await store.read(sha256, options))
}

async function filesOf(store: WorkspaceStore, manifest: string | null, options: { signal: AbortSignal }) {
  try {
    const { files }: Manifest = await store.readManifest(manifest, options)
    return new Map<string, ManifestFile>(files.map((file) => [file.path, file]))
  } catch (error) {
    // If the old version has been garbage-collected, nothing shows which files were last synced.
    if (!isAppError(error, "workspace_error")) throw error
    return new Map<string, ManifestFile>()
  }
}

/** Returns the hash and the executable bit of the file at a path. */
async function standing(disk: Files, root: string, path: string): Promise<string | undefined> {
  const place = Buffer.from(join(await disk.realpath(root), path))
  // A file that an agent has made inaccessible counts as missing.
  const [found, bytes] = await Promise.all([disk.lstat(place).catch(() => undefined), disk.readRegular(place)])
  return found && bytes && `${sha256Of(bytes)} ${isExecutable(found.mode)}`
}

const isExecutable = (mode: number) => (mode & 0o100) !== 0
