import { keyIssuer } from "@switchyard/core/models/key-forms"

/** The providers that take keys of callers. */
export const keyProviders = ["groq", "anthropic", "openai", "local"] as const
export type KeyProvider = (typeof keyProviders)[number]

const KEY = "switchyard.model-key"
/** Storage keys of earlier versions, which had one key for all providers. */
const LEGACY = [KEY, "api_key", "groq_api_key", "charito_api_key"]

export interface KeyStore {
  /** The key that was entered for this provider, which is for its runs alone; null if there is none. */
  read(provider: string): string | null
  /** Whether the key outlives the tab. */
  remembers(provider: KeyProvider): boolean
  /** Stores the provider's key for this tab, or, remembering, for this browser. An empty one removes it. */
  save(provider: KeyProvider, key: string, remember: boolean): void
  /** The providers that have a key. */
  providers(): KeyProvider[]
}

/** Keys stay in the browser that they were typed into; the server keeps one only while a run needs it. */
export function createKeyStore(session: Storage, local: Storage, changed: () => void): KeyStore {
  const nameOf = (provider: string) => `${KEY}.${provider}`
  const read = (provider: string) => session.getItem(nameOf(provider)) ?? local.getItem(nameOf(provider))
  const remembers = (provider: KeyProvider) => local.getItem(nameOf(provider)) !== null

  function save(provider: KeyProvider, key: string, remember: boolean) {
    for (const store of [session, local]) store.removeItem(nameOf(provider))
    if (key.trim() !== "") (remember ? local : session).setItem(nameOf(provider), key.trim())
  }

  function adopt(store: Storage) {
    const [found] = LEGACY.flatMap((name) => store.getItem(name) ?? [])
    for (const name of LEGACY) store.removeItem(name)
    if (!found?.trim()) return
    const issuer = keyIssuer(found)
    // The one key was for the default model, which was Groq's.
    const provider = keyProviders.find((one) => one === issuer) ?? "groq"
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
    providers: () => keyProviders.filter((provider) => read(provider) !== null),
  }
}
