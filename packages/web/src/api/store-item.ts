/**
 * Stores a text in the browser. Storage may be full or disabled: then an older text isn't left in its place, and false is
 * returned. The page has to work without it.
 */
export function storeItem(storage: Storage, key: string, text: string): boolean {
  try {
    storage.setItem(key, text)
    return true
  } catch {
    storage.removeItem(key)
    return false
  }
}
