import { keyedProviders, type ProviderId } from "@switchyard/core/models/providers/providers"

export interface KeyStore {
  /** Returns the key entered for this provider, which is used only for its runs; null if there is none. */
  read(provider: string): string | null
  /** Stores the provider's key until this tab is closed. */
  save(provider: ProviderId, key: string): void
  remove(provider: ProviderId): void
  providers(): ProviderId[]
}

/** Creates the store for keys that the server doesn't save. They are kept for one tab. */
export function createKeyStore(session: Storage, changed: () => void): KeyStore {
  const nameOf = (provider: string) => `switchyard.model-key.${provider}`
  const read = (provider: string) => session.getItem(nameOf(provider))

  function remove(provider: ProviderId) {
    session.removeItem(nameOf(provider))
    changed()
  }

  return {
    read,
    remove,
    save(provider, key) {
      if (key.trim() === "") return remove(provider)
      session.setItem(nameOf(provider), key.trim())
      changed()
    },
    providers: () => keyedProviders.filter((provider) => read(provider) !== null),
  }
}
