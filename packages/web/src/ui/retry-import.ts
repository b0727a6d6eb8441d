const TRIES = 20
const EVERY_MS = 1_500

/**
 * Imports a part of the studio, with retries: a short outage shouldn't replace the page with an error. Gives up after
 * half a minute, since a new version may have removed the part.
 */
export function retryImport<T>(load: () => Promise<T>): () => Promise<T> {
  return async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await load()
      } catch (error) {
        if (tries === TRIES) throw error
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
      }
    }
  }
}
