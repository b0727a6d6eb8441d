import * as z from "zod"
import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { createWorkspaceStore } from "../../files/workspaces/blob-store.ts"
import { type FileEntry, Manifest } from "../../files/workspaces/manifest.ts"
import type { WorkspacePath } from "../../files/workspaces/path.ts"
import { type Folder, isFolder, nodeAt, toFolder } from "../../files/workspaces/tree-model.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { AppFiles } from "./app-files.ts"

/** One publication of an app. Its bytes never change. */
export const Publication = z.object({
  publication: z.string(),
  sid: z.string(),
  session_id: z.string(),
  session_name: z.string(),
  version: z.int().positive(),
  folder: z.string(),
  file_count: z.int().positive(),
  size_bytes: z.int().nonnegative(),
  published_at: z.number(),
})
export type Publication = z.infer<typeof Publication>

/**
 * The owner of an app's name, and the publication that it currently shows. After a withdrawal, the name stays reserved
 * for its owner. Otherwise, another owner's app could read what the earlier app stored in visitors' browsers.
 */
export const AppRecord = z.object({ name: z.string(), owner: z.string(), live: Publication.nullable() })
export type AppRecord = z.infer<typeof AppRecord>

/** Returns the key of an app's record. The key is outside all sessions, so that no runner can write the record. */
export function appKey(name: string): { partition: string; sort: string } {
  return { partition: `apps/${name}`, sort: "app" }
}

/** Returns the prefix of a publication's blobs. */
export function publicationBlobs(name: string, publication: string): string {
  return `apps/${name}/${publication}/`
}

const AT_ONCE = 16

/**
 * Copies the files of a session into a publication. Stores the manifest last, so a publication that has a manifest is
 * complete.
 */
export async function copyFiles(
  { blobs }: { blobs: Blobs },
  from: { sid: string; incarnation: number },
  { folder, files }: AppFiles,
  prefix: string,
  options: { signal: AbortSignal },
): Promise<void> {
  const store = createWorkspaceStore(blobs, from)
  const copy = async (sha256: string) => {
    await blobs.put(`${prefix}${sha256}`, await store.read(sha256, options), options)
  }
  const contents = new Set(files.map(({ sha256 }) => sha256))
  for await (const _ of mapConcurrent(contents, copy, { atOnce: AT_ONCE }));
  const manifest = { files: files.map((file) => ({ ...file, path: file.path.slice(folder.length) })), folders: [] }
  await blobs.put(`${prefix}manifest`, Buffer.from(JSON.stringify(manifest)), options)
}

/** The files of one publication, as served to visitors. */
export interface OpenedApp {
  stat(path: WorkspacePath): ({ type: "file" } & FileEntry) | { type: "directory" } | undefined
  /** Returns the file's bytes. Undefined if the publication was replaced or withdrawn after it was opened. */
  read(
    file: FileEntry,
    options: { range?: { start: number; end: number }; signal: AbortSignal },
  ): Promise<AsyncIterable<Uint8Array> | undefined>
}

/** Maximum number of publications whose file lists are cached. */
const MAX_REMEMBERED = 20

/** Opens the files published under a name. Undefined if nothing is published there. */
export type OpenApp = ReturnType<typeof createOpenApp>

/**
 * Creates a function that opens published apps. It caches the file lists of the most recently opened apps, because a
 * page loads many files.
 */
export function createOpenApp({ records, blobs }: { records: Records; blobs: Blobs }) {
  /** Files of publications, by the prefix of their blobs. They never change. Sorted by last use, most recent last. */
  const remembered = new Map<string, Folder>()

  async function filesOf(prefix: string, options: { signal: AbortSignal }): Promise<Folder | undefined> {
    const root = remembered.get(prefix) ?? (await readFiles(blobs, prefix, options))
    if (!root) return undefined
    remembered.delete(prefix)
    remembered.set(prefix, root)
    for (const oldest of remembered.keys()) if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest)
    return root
  }

  return async (name: string, options: { signal: AbortSignal }): Promise<OpenedApp | undefined> => {
    const record = await records.get(appKey(name), options)
    const live = record && AppRecord.parse(record.value).live
    if (!live) return undefined
    const prefix = publicationBlobs(name, live.publication)
    const root = await filesOf(prefix, options)
    if (!root) return undefined
    return {
      stat(path) {
        const node = nodeAt(root, path)
        if (!node) return undefined
        return isFolder(node) ? { type: "directory" } : { type: "file", ...node }
      },
      read: ({ sha256 }, options) => blobs.get(`${prefix}${sha256}`, options),
    }
  }
}

async function readFiles(blobs: Blobs, prefix: string, options: { signal: AbortSignal }): Promise<Folder | undefined> {
  const manifest = await blobs.get(`${prefix}manifest`, options)
  return manifest && toFolder(Manifest.parse(JSON.parse((await readAll(manifest)).toString())))
}
