import { useState } from "react"
import { errorText } from "./error-text.ts"

/** Runs actions, and keeps the error of the last attempt; null if it succeeded. */
export function useAttempt() {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  /** Resolves to true if the action succeeded. */
  async function attempt(action: () => Promise<unknown>): Promise<boolean> {
    setBusy(true)
    setError(null)
    try {
      await action()
      return true
    } catch (failure) {
      setError(failure)
      return false
    } finally {
      setBusy(false)
    }
  }

  return {
    busy,
    error,
    /** Message of the error; null if there is none. */
    message: error === null ? null : errorText(error),
    attempt,
    forgive: () => setError(null),
  }
}
