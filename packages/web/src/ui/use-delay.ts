import { useEffect, useState } from "react"

/** True once so many milliseconds have gone by: what comes sooner needs no announcement. */
export function useDelay(ms: number): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return late
}
