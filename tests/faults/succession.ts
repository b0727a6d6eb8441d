import type { ServerProcess } from "./processes.ts"

/** One server after the other. Whoever talks to them asks where the present one is, and waits while there is none. */
export interface Succession {
  url(): Promise<string>
  /** Starts the next one, whose predecessor has ended. */
  succeed(server: ServerProcess): ServerProcess
  /** Repeats a request until it is answered, whoever answers. */
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
        // What `fetch` throws when a connection breaks, or can't be made.
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
