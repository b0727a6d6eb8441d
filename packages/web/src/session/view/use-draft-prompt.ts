import { useMemo, useSyncExternalStore } from "react"
import { storeItem } from "../../api/store-item.ts"

export interface DraftPrompt {
  draft: string
  write(draft: string): void
  /** Empties it, once it was sent. */
  forget(): void
}

/** A draft for components that write it, and need not be drawn anew with each key. The same object for the same name. */
export interface DraftStore {
  read(): string
  write(draft: string): void
  subscribe(changed: () => void): () => void
}

/** The next request of a session, or message to one of its agents or its chat, while it is written. It survives a reload, and the way to another session and back. */
export function useDraftPrompt(name: string): DraftPrompt {
  const store = useDraftStore(name)
  return { draft: useDraft(store), write: store.write, forget: () => store.write("") }
}

/** The same for a component that has it written elsewhere; `useDraft` follows it. */
export function useDraftStore(name: string): DraftStore {
  return useMemo(() => createDraftStore(`switchyard.draft.${name}`), [name])
}

/** The text of a draft, as it is written. */
export function useDraft({ subscribe, read }: DraftStore): string {
  return useSyncExternalStore(subscribe, read)
}

function createDraftStore(key: string): DraftStore {
  const followers = new Set<() => void>()
  let draft = sessionStorage.getItem(key) ?? ""
  return {
    read: () => draft,
    write(text) {
      draft = text
      if (text === "") sessionStorage.removeItem(key)
      else storeItem(sessionStorage, key, text)
      for (const changed of followers) changed()
    },
    subscribe(changed) {
      followers.add(changed)
      return () => followers.delete(changed)
    },
  }
}
