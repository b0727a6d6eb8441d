/**
 * If the user has blocked a browser storage, even accessing it throws. Replaces it with one that lasts as long as the
 * page.
 */
export function replaceBlockedStorage(): void {
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      void Reflect.get(globalThis, name)
    } catch {
      Object.defineProperty(globalThis, name, { value: storageInMemory() })
    }
  }
}

function storageInMemory(): Storage {
  const texts = new Map<string, string>()
  return {
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => void texts.set(key, text),
    removeItem: (key) => void texts.delete(key),
    key: (index) => [...texts.keys()][index] ?? null,
    clear: () => texts.clear(),
    get length() {
      return texts.size
    },
  }
}
