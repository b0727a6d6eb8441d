/** Awaits a promise. Throws the signal's reason as soon as it aborts, even if the promise never settles. */
export function raceAbort<T>(pending: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return pending
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true })
    pending.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop))
  })
}
