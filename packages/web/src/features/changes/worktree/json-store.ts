import type * as z from "zod"

/** Creates the store for a list or record that is kept in this browser. An empty one isn't stored. */
export function createJsonStore<T extends object>(storage: Storage, key: string, schema: z.ZodType<T>, empty: T) {
  return {
    read(): T {
      try {
        return schema.parse(JSON.parse(storage.getItem(key) ?? "null"))
      } catch {
        // Nothing is stored, the data is invalid, or storage is disabled.
        return empty
      }
    },
    save(value: T): void {
      try {
        if (Object.keys(value).length === 0) storage.removeItem(key)
        else storage.setItem(key, JSON.stringify(value))
      } catch {
        // Storage is full or disabled: the value lasts only as long as the page.
      }
    },
  }
}
