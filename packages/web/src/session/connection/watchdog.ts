/** The server sends a keep-alive every 15 s. After three missing ones the connection is dead, whatever the socket's state. */
export const SILENCE_MS = 45_000
/** The age of a stream from which on what arrives is more than the beginning that a proxy lets through. */
export const DELIVERS_AFTER_MS = 10_000

/** Aborts when it isn't reset in time. */
export function createWatchdog(ms: number) {
  const controller = new AbortController()
  const bite = () => controller.abort(new Error("The server sent nothing."))
  let timer = setTimeout(bite, ms)
  const stop = () => clearTimeout(timer)
  const reset = (next: number) => {
    stop()
    timer = setTimeout(bite, next)
  }
  return { signal: controller.signal, stop, reset }
}
