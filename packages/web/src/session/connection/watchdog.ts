/**
 * The server sends a keep-alive every 15 s. After three missed ones, the connection is considered dead, whatever the
 * socket's state.
 */
export const SILENCE_MS = 45_000
/** If data arrives on a stream this old, it is being delivered live. Some proxies let only the beginning through. */
export const DELIVERS_AFTER_MS = 10_000

/** Creates a signal that aborts unless it is reset in time. */
export function createWatchdog(ms: number) {
  const controller = new AbortController()
  const bite = () => controller.abort(new Error("The server sent no data."))
  let timer = setTimeout(bite, ms)
  const stop = () => clearTimeout(timer)
  const reset = (next: number) => {
    stop()
    timer = setTimeout(bite, next)
  }
  return { signal: controller.signal, stop, reset }
}
