import { backoffMs, withJitter } from "@switchyard/core/concurrency/retry"
import { ApiError } from "../../api/client.ts"
import type { ConnectionUpdate } from "./connection-update.ts"
import { openSocket, type SocketDeps } from "./socket.ts"
import { openStream, type SseDeps } from "./sse.ts"

export interface TransportDeps extends SseDeps {
  /** Returns the URL of a stream for these sources. */
  urlOf(sources: string): string
  now(): number
  /** Undefined if the server or browser doesn't support WebSockets. */
  socket?: SocketDeps
}

/** `openStream` is injected so that it can open streams that end soon. */
export interface PollingDeps extends TransportDeps {
  openStream: typeof openStream
}

/** Opens a connection for these sources, and yields its updates until it ends. See `openStream` and `openSocket`. */
export type Transport = (
  sources: string,
  options: { onHeard(): void; signal: AbortSignal },
) => AsyncGenerator<ConnectionUpdate>

/** If a WebSocket breaks sooner than this after opening, something on the way probably blocks it. */
const SOUND_MS = 10_000
const FIRST_RETRY_MS = 60_000
const LONGEST_RETRY_MS = 1_800_000

/**
 * Creates a transport that uses WebSockets if possible, and a stream if a WebSocket is refused or soon cut. The stream
 * is then used for a while, and ends normally when a WebSocket is due again. If the stream fails too, the WebSocket
 * wasn't the cause.
 */
export function createTransport(deps: TransportDeps): Transport {
  let failures = 0
  let isAvoided = false

  return async function* open(sources, { onHeard, signal }) {
    if (deps.socket && !isAvoided) {
      const outcome = yield* bySocket(deps.socket, sources, { onHeard, signal })
      if (outcome === "ended" || signal.aborted) return
    }
    yield* byStream(sources, { onHeard, signal })
  }

  async function* bySocket(
    socket: SocketDeps,
    sources: string,
    options: { onHeard(): void; signal: AbortSignal },
  ): AsyncGenerator<ConnectionUpdate, "ended" | "refused"> {
    let openedAt: number | undefined
    const avoid = () => {
      failures += 1
      isAvoided = true
    }
    try {
      for await (const update of openSocket(socket, sources, options)) {
        if (update.type === "opened") openedAt = deps.now()
        yield update
      }
    } catch (error) {
      if (options.signal.aborted) return "ended"
      if (error instanceof ApiError && error.status === 401) {
        yield { type: "refused", status: 401 }
        return "ended"
      }
      if (openedAt === undefined) {
        avoid()
        return "refused"
      }
      // Not reported: the next connection is tried immediately, and input is sent by POST meanwhile.
      if (deps.now() - openedAt < SOUND_MS) avoid()
      else failures = 0
      return "ended"
    }
    if (openedAt === undefined && !options.signal.aborted) {
      avoid()
      return "refused"
    }
    failures = 0
    return "ended"
  }

  async function* byStream(
    sources: string,
    { onHeard, signal }: { onHeard(): void; signal: AbortSignal },
  ): AsyncGenerator<ConnectionUpdate> {
    const socketIsDue = new AbortController()
    const retryMs = withJitter(backoffMs(failures - 1, FIRST_RETRY_MS, LONGEST_RETRY_MS), deps.random)
    const timer = isAvoided ? setTimeout(() => socketIsDue.abort(), retryMs) : undefined
    const stop = AbortSignal.any([signal, socketIsDue.signal])
    try {
      yield* openStream(deps, deps.urlOf(sources), { onHeard, signal: stop })
    } catch (error) {
      if (socketIsDue.signal.aborted) return
      isAvoided = false
      failures = 0
      throw error
    } finally {
      clearTimeout(timer)
      if (socketIsDue.signal.aborted) isAvoided = false
    }
  }
}
