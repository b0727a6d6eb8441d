import { object, orNull, type Read, readJson, text } from "../../../api/shape.ts"

/** A text that was edited and isn't saved. `base` is the hash of what it was made from; null if there was no file. */
const Draft = object({ base: orNull(text), text })
export type Draft = Read<typeof Draft>

export interface Drafts {
  read(path: string): Draft | null
  /** Keeps the draft, if the browser has room for it. Says whether it had. */
  keep(path: string, draft: Draft): boolean
  drop(path: string): void
  /** A file, or a folder with what is in it, has another path now. */
  move(fromPath: string, path: string): void
}

/** The unsaved texts of one session: they outlive leaving the screen and loading the page again, and end with the tab. */
export function createDrafts(storage: Storage, sessionId: string): Drafts {
  const prefix = `switchyard.draft.${sessionId}:`

  function keep(path: string, draft: Draft): boolean {
    try {
      storage.setItem(prefix + path, JSON.stringify(draft))
      return true
    } catch {
      // Full, or switched off. Half a truth would be worse than none: an older draft is not what was typed.
      storage.removeItem(prefix + path)
      return false
    }
  }

  return {
    read: (path) => {
      const kept = storage.getItem(prefix + path)
      return kept === null ? null : (readJson(Draft, kept) ?? null)
    },
    keep,
    drop: (path) => storage.removeItem(prefix + path),
    move: (fromPath, path) => {
      for (const key of keysOf(storage)) {
        const kept = storage.getItem(key)
        const old = key.slice(prefix.length)
        if (!key.startsWith(prefix) || kept === null) continue
        if (old !== fromPath && !old.startsWith(`${fromPath}/`)) continue
        storage.removeItem(key)
        storage.setItem(prefix + path + old.slice(fromPath.length), kept)
      }
    },
  }
}

function keysOf(storage: Storage): string[] {
  return Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "")
}
