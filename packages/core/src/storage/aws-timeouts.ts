/**
 * Connection timeout. If the timeout is two seconds or more, the SDK checks the connection once more before giving up,
 * in case this process was busy.
 */
const CONNECT_MS = 2000

/**
 * Timeouts for calls with small bodies. The SDK has no timeouts by default, so a request without a response would hang
 * forever. With these timeouts, it is retried. `requestTimeout` only covers the time until the response's headers, so
 * `socketTimeout` limits pauses within the body.
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
 * Timeouts for bodies of any length. Slow progress is allowed, but pauses aren't. `requestTimeout` is long, because it
 * includes waiting for a free connection and uploading up to 8 MB before the response's headers arrive.
 */
export const largeBodies = {
  connectionTimeout: CONNECT_MS,
  requestTimeout: 60_000,
  throwOnRequestTimeout: true,
  socketTimeout: 10_000,
}
