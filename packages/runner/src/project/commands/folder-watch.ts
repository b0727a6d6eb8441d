import { type FSWatcher, watch } from "node:fs"
import { readdir } from "node:fs/promises"
import { basename, join } from "node:path"

/** Watches a worktree's folders for changes. */
export interface FolderWatch {
  /** Watches the folders that exist now, except those that git ignores (paths relative to the root). */
  follow(root: string, ignored: string[]): Promise<void>
  close(): void
}

/**
 * Maximum number of watched folders. The system limits the folders that all programs of a user may watch. Changes in
 * further folders are found by the next slow look.
 */
const MAX_FOLDERS = 500

/**
 * Creates a watch that calls `onChange` when an entry of a watched folder changes. Watches each folder on its own,
 * because Node's recursive watch on Linux also watches each file and everything that git ignores.
 */
export function createFolderWatch(onChange: () => void): FolderWatch {
  const watched = new Map<string, FSWatcher>()

  function add(folder: string): void {
    if (watched.has(folder)) return
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // The watch of a removed folder names the folder itself, and ends even if another one takes its place.
        if (name === basename(folder)) remove(folder)
        if (name !== ".git") onChange()
      })
      watched.set(folder, watcher)
      watcher.on("error", () => remove(folder))
    } catch {
      // The folder is gone, belongs to another user, or the system's limit is reached. Slow looks remain.
    }
  }

  function remove(folder: string): void {
    watched.get(folder)?.close()
    watched.delete(folder)
  }

  return {
    async follow(root, ignored) {
      const folders = new Set(await foldersIn(root, new Set(ignored.map((path) => join(root, path)))))
      for (const folder of watched.keys()) if (!folders.has(folder)) remove(folder)
      for (const folder of folders) add(folder)
    },
    close() {
      for (const folder of [...watched.keys()]) remove(folder)
    },
  }
}

/** Lists a folder and the folders in it, the upper ones first. Follows no links. */
async function foldersIn(root: string, ignored: Set<string>): Promise<string[]> {
  const found = [root]
  for (let at = 0; at < found.length && found.length < MAX_FOLDERS; at++) {
    const folder = found[at] ?? root
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const place = join(folder, entry.name)
      if (entry.isDirectory() && entry.name !== ".git" && !ignored.has(place)) found.push(place)
    }
  }
  return found.slice(0, MAX_FOLDERS)
}
