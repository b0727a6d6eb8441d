/** From two seconds, the SDK checks the connection once more before giving up, in case this process was busy. */
const CONNECT_MS = 2000

/**
 * Timeouts for calls with small bodies. The SDK has none by default, so an unanswered request would hang forever. With
 * them, it is retried. `requestTimeout` covers only the response headers, so the body needs a limit on silence.
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
 * Timeouts for bodies of any length. Slow progress is fine, silence is not. Before the response headers come the upload
 * of at most 8 MB and the wait for a free connection.
 */
export const largeBodies = {
  connectionTimeout: CONNECT_MS,
  requestTimeout: 60_000,
  throwOnRequestTimeout: true,
  socketTimeout: 10_000,
}
