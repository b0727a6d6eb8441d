/** The part of the browser's `navigator.locks` that is used here. */
export interface LockManager {
  request(
    name: string,
    options: { signal?: AbortSignal; steal?: boolean },
    holder: () => Promise<void>,
  ): Promise<unknown>
}

/** The leadership, which one tab has at a time. The browser frees it when the tab is closed or crashes. */
export interface Leadership {
  /** Waits until there is no leader, and leads. */
  stand(): void
  /** Takes the place of a leader that gives no sign of life. */
  seize(): void
  leave(): void
}

/** `lead` is called when this tab becomes the leader, with a signal that aborts when another one does or this one leaves. */
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
    // A browser takes either a signal or the right to steal.
    locks.request(name, steal ? { steal } : { signal: mine.signal }, holder).catch(() => {
      if (mine.signal.aborted) return
      // Another tab has seized the place.
      mine.abort()
      request(false)
    })
  }

  return { stand: () => request(false), seize: () => request(true), leave: () => standing.abort() }
}

/** Locks for a browser that has none: each tab leads itself. */
export const noLocks: LockManager = { request: (_name, _options, holder) => holder() }
