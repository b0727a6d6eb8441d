/** The known state of a server. */
export type ServerStatus =
  | { state: "unconfigured" }
  | { state: "checking" }
  /** The server is responding more slowly than one that is awake. */
  | { state: "waking" }
  | { state: "online" }
  | { state: "offline"; why: OfflineReason }

/** `closed`: the server is running but refuses this origin. `barred`: this page's own policy blocks it. */
export type OfflineReason = "timeout" | "unreachable" | "closed" | "barred"

export interface ProbeDeps {
  /** Requests a URL. Resolves on any response, and rejects if there is none. */
  ask(url: string, options: { signal: AbortSignal }): Promise<unknown>
  /** Finds out why a request failed. */
  whyNot(url: string, options: { signal: AbortSignal }): Promise<OfflineReason>
  /** Resolves after the delay, or immediately if the signal aborts. */
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  now(): number
}

const WAKING_MS = 6_000
const TIMEOUT_MS = 20_000
const RETRY_MS = 15_000
const LOOK_AGAIN_MS = 120_000

/** Watches a server until the signal aborts: frequently while it is down, rarely while it is up. */
export async function* watchServer(
  base: string | null,
  deps: ProbeDeps,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<ServerStatus> {
  if (base === null) return yield { state: "unconfigured" }
  for (let up = false; !signal.aborted; ) {
    if (!up) yield { state: "checking" }
    const found: ServerStatus = yield* look(base, up, deps, signal)
    if (signal.aborted) return
    up = found.state === "online"
    yield found
    await deps.pause(up ? LOOK_AGAIN_MS : RETRY_MS, { signal })
  }
}

async function* look(
  base: string,
  up: boolean,
  deps: ProbeDeps,
  signal: AbortSignal,
): AsyncGenerator<ServerStatus, ServerStatus> {
  const over = new AbortController()
  const options = { signal: AbortSignal.any([signal, over.signal]) }
  // A plain GET without custom headers needs no CORS preflight. The query parameter bypasses caches.
  const url = `${base}/health?at=${deps.now()}`
  const answer = deps.ask(url, options).then(
    (): ServerStatus => ({ state: "online" }),
    async (): Promise<ServerStatus> => ({ state: "offline", why: await deps.whyNot(url, options) }),
  )
  try {
    const soon = await Promise.race([answer, deps.pause(WAKING_MS, options)])
    if (soon) return soon
    if (!up && !signal.aborted) yield { state: "waking" }
    const late = await Promise.race([answer, deps.pause(TIMEOUT_MS - WAKING_MS, options)])
    return late ?? { state: "offline", why: "timeout" }
  } finally {
    over.abort()
  }
}
