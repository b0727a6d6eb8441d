import type { ServerProcess } from "./processes.ts"

/** Servers that follow one another. Clients ask for the current server's address, and wait while there is none. */
export interface Succession {
  url(): Promise<string>
  /** Makes this server the current one. The previous one must have ended. */
  succeed(server: ServerProcess): ServerProcess
  /** Repeats a request until a server answers. */
  ask<T>(request: (url: string) => Promise<T>): Promise<T>
}

export function createSuccession(): Succession {
  let place = Promise.withResolvers<string>()

  async function ask<T>(request: (url: string) => Promise<T>): Promise<T> {
    for (;;) {
      const url = await place.promise
      try {
        return await request(url)
      } catch (error) {
        // `fetch` throws a TypeError if a connection breaks or can't be made.
        if (!(error instanceof TypeError)) throw error
      }
    }
  }

  return {
    url: () => place.promise,
    ask,
    succeed(server) {
      const mine = place
      server.url.then((url) => url && mine.resolve(url))
      server.ended.then(async () => {
        if (await server.url) place = Promise.withResolvers()
      })
      return server
    },
  }
}
