/**
 * Connection timeout. With a timeout of two seconds or more, the SDK checks the connection once more before giving up,
 * in case this process was busy.
 */
const CONNECT_MS = 2000

/**
 * Timeouts for calls with small bodies. The SDK has none by default, so an unanswered request would hang forever. With
 * timeouts, it is retried. `requestTimeout` only covers the response headers, so `socketTimeout` limits silence within
 * the body.
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
 * Timeouts for bodies of any length. Slow progress is fine, silence isn't. `requestTimeout` is long, because the
 * response headers only come after waiting for a free connection and uploading up to 8 MB.
 */
export const largeBodies = {
  connectionTimeout: CONNECT_MS,
  requestTimeout: 60_000,
  throwOnRequestTimeout: true,
  socketTimeout: 10_000,
}
