import { useEffect, useState } from "react"

/** Returns the value once it hasn't changed for a moment, so that a search isn't requested for every letter. */
export function useSettled<T>(value: T, ms = 150): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
