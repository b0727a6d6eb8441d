import { useEffect, useState } from "react"

/** Returns true after a delay. Anything faster needs no loading state. */
export function useDelay(ms: number): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return late
}
