import { useEffect, useState } from "react"

/** The value once it hasn't changed for a moment, so that not every letter of a search is a request. */
export function useSettled<T>(value: T, ms = 150): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
