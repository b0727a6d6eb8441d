import { useMemo, useSyncExternalStore } from "react"
import { storeItem } from "../../api/store-item.ts"

export interface DraftPrompt {
  draft: string
  write(draft: string): void
  /** Clears the draft after it was sent, unless it has changed since. */
  forget(): void
}

/** A draft for components that write it but needn't re-render on each key. The same object for the same name. */
export interface DraftStore {
  read(): string
  write(draft: string): void
  subscribe(changed: () => void): () => void
}

/**
 * Returns the draft of a session's next request, or of a message to one of its agents or its chat. It survives
 * reloading the page and switching between sessions.
 */
export function useDraftPrompt(name: string): DraftPrompt {
  const store = useDraftStore(name)
  const draft = useDraft(store)
  const forget = () => {
    if (store.read() === draft) store.write("")
  }
  return { draft, write: store.write, forget }
}

/** Returns the draft's store, for a component that doesn't itself show the text. `useDraft` follows it. */
export function useDraftStore(name: string): DraftStore {
  return useMemo(() => createDraftStore(`switchyard.draft.${name}`), [name])
}

/** Returns a draft's text as it is being written. */
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
