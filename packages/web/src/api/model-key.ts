const KEY = "switchyard.model-key"
const REMEMBER = "switchyard.remember-key"
/** Storage keys of earlier versions. */
const LEGACY = ["api_key", "groq_api_key", "charito_api_key"]

export interface KeyStore {
  /** The key that this browser sends along, or null. */
  read(): string | null
  remembers(): boolean
  /** Keeps the key for this tab, or, remembering, for this browser. An empty one forgets everything. */
  save(key: string, remember: boolean): void
}

/** The model's key stays in the browser that it was typed into; the server keeps it only while a run needs it. */
export function createKeyStore(session: Storage, local: Storage, changed: () => void): KeyStore {
  const read = () =>
    [KEY, ...LEGACY].flatMap((name) => [session.getItem(name), local.getItem(name)]).find(Boolean) ?? null

  return {
    read,
    remembers: () => local.getItem(REMEMBER) === "1",
    save: (key, remember) => {
      for (const name of [KEY, ...LEGACY]) {
        session.removeItem(name)
        local.removeItem(name)
      }
      if (key.trim() === "") local.removeItem(REMEMBER)
      else {
        const store = remember ? local : session
        store.setItem(KEY, key.trim())
        local.setItem(REMEMBER, remember ? "1" : "0")
      }
      changed()
    },
  }
}
