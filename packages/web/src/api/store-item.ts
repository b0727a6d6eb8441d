/**
 * Stores a text in the browser. If storage is full or disabled, removes any older text and returns false. The page has
 * to work without it.
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
