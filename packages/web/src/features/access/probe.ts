/** Whether a server can be reached, as far as is known now. */
export type ServerStatus =
  | { state: "unconfigured" }
  | { state: "checking" }
  /** It takes longer than a server that is awake would. */
  | { state: "waking" }
  | { state: "online" }
  | { state: "offline"; why: OfflineReason }

/** `closed`: it is there, but answers no page of this origin. `barred`: this page may not even ask it. */
export type OfflineReason = "timeout" | "unreachable" | "closed" | "barred"

export interface ProbeDeps {
  /** Asks for an address. Resolves whatever the server answers, rejects if it doesn't. */
  ask(url: string, options: { signal: AbortSignal }): Promise<unknown>
  /** Why asking failed. */
  whyNot(url: string, options: { signal: AbortSignal }): Promise<OfflineReason>
  /** Resolves after a while, and at once when the signal ends. */
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
  now(): number
}

const WAKING_MS = 6_000
const TIMEOUT_MS = 20_000
const RETRY_MS = 15_000
const LOOK_AGAIN_MS = 120_000

/** Watches a server until the signal ends it: soon again while it is away, now and then while it is there. */
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
  // A plain GET with nothing added, so that no browser asks for leave first; the query keeps caches out of it.
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
