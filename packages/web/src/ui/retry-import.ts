const TRIES = 20
const EVERY_MS = 1_500

/**
 * Fetches a part of the studio, again while it can't be: a server that is gone for a moment is no reason to take down what is
 * shown already. Gives up after half a minute, for then the part may be gone for good.
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
