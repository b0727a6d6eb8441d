/** Responses, by path, to requests that the page sent before its code was loaded. */
export type EarlyResponses = Record<string, Promise<Response>>

/** Returns a fetch that uses each early response once instead of sending a request. */
export function withEarlyResponses(early: EarlyResponses, request: typeof fetch): typeof fetch {
  const left = new Map(Object.entries(early))
  return async (input, init) => {
    const found = typeof input === "string" && (init?.method ?? "GET") === "GET" ? left.get(input) : undefined
    if (!found) return request(input, init)
    left.delete(input as string)
    return found.catch(() => request(input, init))
  }
}
