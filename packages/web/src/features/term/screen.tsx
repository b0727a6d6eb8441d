import { useState } from "react"
import { LiveScreen, type ScreenProps } from "./live-screen.tsx"

/** One terminal: as it is now, or its recording. */
export function Screen(props: Omit<ScreenProps, "onPlay" | "onRetry">) {
  const [attempt, setAttempt] = useState(0)
  return <LiveScreen key={attempt} {...props} onPlay={null} onRetry={() => setAttempt(attempt + 1)} />
}
