import { mapConcurrent } from "../../concurrency/map-concurrent.ts"
import { AppError } from "../../errors.ts"
import type { SessionLog } from "../../kernel/session-log.ts"
import { type Blobs, readAll } from "../../storage/blobs.ts"
import { createWorkspaceStore, type WorkspaceStore } from "./blob-store.ts"
import type { FileEntry, Manifest, ManifestFile, WorkspaceVersion } from "./manifest.ts"
import type { WorkspacePath } from "./path.ts"
import type { TreeNode } from "./schema.ts"
import { MAX_EDITABLE_BYTES } from "./text.ts"
import { treeNodes } from "./tree.ts"
import { isFolder, nodeAt, toFolder } from "./tree-model.ts"

export interface AllTexts {
  /** Text files, sorted by path. */
  files: { path: WorkspacePath; text: string }[]
  skippedBinary: WorkspacePath[]
  /** Text files that are too large for the editor or for the remaining space in the response. */
  skippedLarge: WorkspacePath[]
}

/** One version of the files, which later commits don't affect. */
export interface Workspace {
  /** This version, for use as the base of changes. */
  readonly at: WorkspaceVersion
  readonly manifest: Manifest
  tree(): TreeNode[]
  stat(path: WorkspacePath): ({ type: "file" } & FileEntry) | { type: "directory" } | undefined
  /**
   * Returns the text of a file. Throws `workspace_not_found` if the file doesn't exist, `workspace_binary_file` if it
   * isn't text, or `workspace_validation_error` if it is too long for the editor.
   */
  readText(path: WorkspacePath, options: { signal?: AbortSignal }): Promise<string>
  /** Returns text files of up to `maxBytes` in total (4 MB by default), regardless of the workspace's size. */
  readAllTexts(options: { maxBytes?: number; signal?: AbortSignal }): Promise<AllTexts>
}

const ALL_TEXTS_BYTES = 4 * 1024 * 1024
const READS_AT_ONCE = 32

/** Opens the files of the version in the session's state, or of another version. The session's log isn't read. */
export async function openWorkspace(
  { blobs }: { blobs: Blobs },
  session: Pick<SessionLog, "sid" | "state">,
  { at = session.state.workspace, signal }: { at?: WorkspaceVersion; signal?: AbortSignal },
): Promise<Workspace> {
  const store = createWorkspaceStore(blobs, { sid: session.sid, incarnation: session.state.session.incarnation })
  return filesOf(store, await store.readManifest(at.manifest, { signal }), at)
}

/**
 * Opens the files in a manifest. The manifest doesn't have to be stored, but the bytes of its files must be among the
 * session's blobs.
 */
export function openManifest(
  { blobs }: { blobs: Blobs },
  { sid, state }: Pick<SessionLog, "sid" | "state">,
  manifest: Manifest,
): Workspace {
  const store = createWorkspaceStore(blobs, { sid, incarnation: state.session.incarnation })
  return filesOf(store, manifest, { version: state.workspace.version, manifest: null })
}

function filesOf(store: WorkspaceStore, manifest: Manifest, at: WorkspaceVersion): Workspace {
  const root = toFolder(manifest)

  async function decode({ sha256 }: FileEntry, signal?: AbortSignal): Promise<string> {
    // Keep a byte order mark as part of the text, so that saving the text unchanged doesn't change the file.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    return decoder.decode(await readAll(await store.read(sha256, { signal })))
  }

  return {
    at,
    manifest,
    tree: () => treeNodes(root),
    stat(path) {
      const node = nodeAt(root, path)
      if (!node) return undefined
      return isFolder(node) ? { type: "directory" } : { type: "file", ...node }
    },
    async readText(path, { signal }) {
      const file = nodeAt(root, path)
      if (!file || isFolder(file)) throw new AppError("workspace_not_found", "There is no file at this path.", { path })
      if (file.binary) throw new AppError("workspace_binary_file", "This isn't a text file.", { path })
      if (file.size > MAX_EDITABLE_BYTES) {
        throw new AppError("workspace_validation_error", "This file is too long to edit.", { path })
      }
      return decode(file, signal)
    },
    async readAllTexts({ maxBytes = ALL_TEXTS_BYTES, signal }) {
      const { chosen, skippedBinary, skippedLarge } = chooseTexts(manifest, maxBytes)
      const read = async (file: ManifestFile) => ({ path: file.path, text: await decode(file, signal) })
      const files = await Array.fromAsync(mapConcurrent(chosen, read, { atOnce: READS_AT_ONCE }))
      return { files, skippedBinary, skippedLarge }
    },
  }
}

/** Selects the text files that fit. Files are considered in path order, so that the selection is always the same. */
function chooseTexts({ files }: Manifest, maxBytes: number) {
  const chosen: ManifestFile[] = []
  const skippedBinary: WorkspacePath[] = []
  const skippedLarge: WorkspacePath[] = []
  let room = maxBytes
  for (const file of files) {
    if (file.binary) skippedBinary.push(file.path)
    else if (file.size > Math.min(room, MAX_EDITABLE_BYTES)) skippedLarge.push(file.path)
    else {
      chosen.push(file)
      room -= file.size
    }
  }
  return { chosen, skippedBinary, skippedLarge }
}
