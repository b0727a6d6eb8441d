/** Replies of the leading tab to messages that this tab sent. */
export interface Replies {
  /** Sends a message with a new id. Resolves to true if the leader accepted it, and to false if it may not have. */
  wait(send: (request: number) => void): Promise<boolean>
  settle(request: number, accepted: boolean): void
  /** Gives up on the previous leader. The next one may reply again. */
  reset(): void
}

/** Longer than the leader itself waits for the server. */
const REPLIES_WITHIN_MS = 6_000

export function createReplies(): Replies {
  const pending = new Map<number, (accepted: boolean) => void>()
  let nextId = 1
  // The leader may be a page of an older version, which never replies.
  let isAnswering = true
  return {
    async wait(send) {
      if (!isAnswering) return false
      const request = nextId++
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(() => {
        isAnswering = false
        resolve(false)
      }, REPLIES_WITHIN_MS)
      pending.set(request, resolve)
      send(request)
      const accepted = await promise
      clearTimeout(timer)
      pending.delete(request)
      return accepted
    },
    settle: (request, accepted) => pending.get(request)?.(accepted),
    reset() {
      isAnswering = true
      for (const resolve of [...pending.values()]) resolve(false)
    },
  }
}
