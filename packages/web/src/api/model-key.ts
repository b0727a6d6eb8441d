import { keyIssuer } from "@switchyard/core/models/key-forms"
import { keyedProviders, type ProviderId } from "@switchyard/core/models/providers/providers"

const KEY = "switchyard.model-key"
/** Storage keys used by earlier versions, which had one key for all providers. */
const LEGACY = [KEY, "api_key", "groq_api_key", "charito_api_key"]

export interface KeyStore {
  /** Returns the key entered for this provider, which is used only for its runs; null if there is none. */
  read(provider: string): string | null
  /** Returns true if the key is kept after the tab is closed. */
  remembers(provider: ProviderId): boolean
  /** Stores the provider's key for this tab or, with `remember`, for this browser. An empty key removes it. */
  save(provider: ProviderId, key: string, remember: boolean): void
  providers(): ProviderId[]
}

/**
 * Creates the store for model keys. Keys stay in the browser in which they were typed; the server keeps one only while
 * a run needs it.
 */
export function createKeyStore(session: Storage, local: Storage, changed: () => void): KeyStore {
  const nameOf = (provider: string) => `${KEY}.${provider}`
  const read = (provider: string) => session.getItem(nameOf(provider)) ?? local.getItem(nameOf(provider))
  const remembers = (provider: ProviderId) => local.getItem(nameOf(provider)) !== null

  function save(provider: ProviderId, key: string, remember: boolean) {
    for (const store of [session, local]) store.removeItem(nameOf(provider))
    if (key.trim() !== "") (remember ? local : session).setItem(nameOf(provider), key.trim())
  }

  function adopt(store: Storage) {
    const [found] = LEGACY.flatMap((name) => store.getItem(name) ?? [])
    for (const name of LEGACY) store.removeItem(name)
    if (!found?.trim()) return
    const issuer = keyIssuer(found)
    // The single key of earlier versions was for the default model, which was Groq's.
    const provider = keyedProviders.find((one) => one === issuer) ?? "groq"
    if (read(provider) === null) save(provider, found, store === local)
  }
  for (const store of [session, local]) adopt(store)

  return {
    read,
    remembers,
    save: (provider, key, remember) => {
      save(provider, key, remember)
      changed()
    },
    providers: () => keyedProviders.filter((provider) => read(provider) !== null),
  }
}
