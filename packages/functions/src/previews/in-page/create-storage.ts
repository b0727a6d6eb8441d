/**
 * Creates a storage object that lasts as long as the page. Like real storage, it also offers its items as properties.
 * The function's source is sent to the page, so the function must not use outer variables.
 */
export function createStorage(): object {
  const items = new Map<string, string>()
  const methods: Record<string, unknown> = {
    getItem: (key: unknown) => items.get(String(key)) ?? null,
    setItem: (key: unknown, item: unknown) => void items.set(String(key), String(item)),
    removeItem: (key: unknown) => void items.delete(String(key)),
    clear: () => items.clear(),
    key: (index: number) => [...items.keys()][index] ?? null,
  }
  return new Proxy(Object.create(Storage.prototype), {
    get(_target, name) {
      if (name === "length") return items.size
      if (typeof name === "symbol") return undefined
      return Object.hasOwn(methods, name) ? methods[name] : items.get(name)
    },
    set(_target, name, item) {
      items.set(String(name), String(item))
      return true
    },
    has: (_target, name) => name === "length" || Object.hasOwn(methods, name) || items.has(String(name)),
    deleteProperty(_target, name) {
      items.delete(String(name))
      return true
    },
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor(_target, name) {
      const value = items.get(String(name))
      return value === undefined ? undefined : { value, configurable: true, enumerable: true, writable: true }
    },
    defineProperty(_target, name, { value }) {
      items.set(String(name), String(value))
      return true
    },
  })
}
