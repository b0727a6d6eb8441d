/** Responses by path, each to a request that the page made before its code was loaded. */
export type EarlyResponses = Record<string, Promise<Response>>

/** A fetch that takes each early response once, in place of a request of its own. */
export function withEarlyResponses(early: EarlyResponses, request: typeof fetch): typeof fetch {
  const left = new Map(Object.entries(early))
  return async (input, init) => {
    const found = typeof input === "string" && (init?.method ?? "GET") === "GET" ? left.get(input) : undefined
    if (!found) return request(input, init)
    left.delete(input as string)
    return found.catch(() => request(input, init))
  }
}
