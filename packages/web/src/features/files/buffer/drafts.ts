import { type Decoded, decodeJson, object, orNull, text } from "../../../api/decode.ts"

/** An unsaved text. `base` is the hash of the version from which it was edited; null if there was no file. */
const Draft = object({ base: orNull(text), text })
export type Draft = Decoded<typeof Draft>

export interface Drafts {
  read(path: string): Draft | null
  /** Stores the draft. Returns false if there was no room. */
  save(path: string, draft: Draft): boolean
  drop(path: string): void
  /** Moves the drafts of a file, or of everything in a folder, to another path. */
  move(fromPath: string, path: string): void
  /** Returns the paths that have drafts. */
  paths(): string[]
}

/**
 * Creates the store for a session's unsaved texts. They survive navigation and reloads, and last as long as the tab.
 */
export function createDrafts(storage: Storage, sessionId: string, onChange: () => void = () => {}): Drafts {
  const prefix = `switchyard.draft.${sessionId}:`

  function save(path: string, draft: Draft): boolean {
    const isNew = storage.getItem(prefix + path) === null
    try {
      storage.setItem(prefix + path, JSON.stringify(draft))
      if (isNew) onChange()
      return true
    } catch {
      // Storage is full or disabled. No draft is better than an outdated one.
      storage.removeItem(prefix + path)
      return false
    }
  }

  return {
    read: (path) => {
      const stored = storage.getItem(prefix + path)
      return stored === null ? null : (decodeJson(Draft, stored) ?? null)
    },
    save,
    drop: (path) => {
      if (storage.getItem(prefix + path) === null) return
      storage.removeItem(prefix + path)
      onChange()
    },
    move: (fromPath, path) => {
      for (const key of keysOf(storage)) {
        const stored = storage.getItem(key)
        const old = key.slice(prefix.length)
        if (!key.startsWith(prefix) || stored === null) continue
        if (old !== fromPath && !old.startsWith(`${fromPath}/`)) continue
        storage.removeItem(key)
        storage.setItem(prefix + path + old.slice(fromPath.length), stored)
      }
      onChange()
    },
    paths: () =>
      keysOf(storage)
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length)),
  }
}

function keysOf(storage: Storage): string[] {
  return Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "")
}
