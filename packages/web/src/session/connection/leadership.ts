/** The part of the browser's `navigator.locks` used here. */
export interface LockManager {
  request(
    name: string,
    options: { signal?: AbortSignal; steal?: boolean },
    holder: () => Promise<void>,
  ): Promise<unknown>
}

/** Leadership, held by one tab at a time. The browser releases it when the tab is closed or crashes. */
export interface Leadership {
  /** Waits until there is no leader, then leads. */
  stand(): void
  /** Takes over from a leader that no longer responds. */
  seize(): void
  leave(): void
}

/**
 * Creates the leadership. `lead` is called when this tab becomes the leader. Its signal aborts when another tab takes
 * over or this one leaves.
 */
export function createLeadership(
  name: string,
  locks: LockManager,
  lead: (signal: AbortSignal) => Promise<void>,
): Leadership {
  let standing = new AbortController()

  function request(steal: boolean): void {
    standing.abort()
    const mine = new AbortController()
    standing = mine
    const holder = async () => {
      if (!mine.signal.aborted) await lead(mine.signal)
    }
    // Browsers don't allow a signal together with `steal`.
    locks.request(name, steal ? { steal } : { signal: mine.signal }, holder).catch(() => {
      if (mine.signal.aborted) return
      // Another tab has taken over.
      mine.abort()
      request(false)
    })
  }

  return { stand: () => request(false), seize: () => request(true), leave: () => standing.abort() }
}

/** Stands in for locks in a browser without them: each tab leads itself. */
export const noLocks: LockManager = { request: (_name, _options, holder) => holder() }
