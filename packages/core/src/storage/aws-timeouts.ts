/** From two seconds on, the SDK looks at the connection once more before it gives it up, should this process have been busy. */
const CONNECT_MS = 2000

/**
 * Time limits for calls with small bodies. The SDK has none by itself: a request that nobody answers would be waited for
 * without end, and with them it is made again. `requestTimeout` is for the head of an answer, so its body needs the limit
 * on silence.
 */
export function smallCalls(withinMs: number) {
  return {
    connectionTimeout: CONNECT_MS,
    requestTimeout: withinMs,
    throwOnRequestTimeout: true,
    socketTimeout: withinMs,
  }
}

/**
 * Time limits for bodies of any length: what moves may take long, silence may not. Before the head of an answer comes the
 * sending of at most 8 MB, and the wait for a connection that is free.
 */
export const largeBodies = {
  connectionTimeout: CONNECT_MS,
  requestTimeout: 60_000,
  throwOnRequestTimeout: true,
  socketTimeout: 10_000,
}
