import { useState } from "react"
import { useReplay } from "../../session/view/use-replay.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { LiveScreen, type ScreenProps } from "./live/live-screen.tsx"
import { PlayerScreen } from "./recording/player-screen.tsx"

/** One terminal: live or recorded. */
export function TerminalScreen(props: Omit<ScreenProps, "onPlay" | "onRetry">) {
  const { session, terminal } = props
  const [attempt, setAttempt] = useState(0)
  const [playing, setPlaying] = useState(false)
  const { replaying, at } = useReplay(session)
  // At an earlier moment the view doesn't know yet that there will be a recording.
  const recorded = useSessionData(session, ({ live }) => live.agent.terminals.some(isRecorded(terminal.pty)))
  const retry = () => setAttempt(attempt + 1)
  if (recorded && (playing || replaying)) {
    const moment = replaying && at ? Date.parse(at) : null
    return <PlayerScreen key={attempt} {...props} moment={moment} onClose={() => setPlaying(false)} onRetry={retry} />
  }
  return <LiveScreen key={attempt} {...props} onPlay={recorded ? () => setPlaying(true) : null} onRetry={retry} />
}

function isRecorded(wanted: string) {
  return ({ pty, hasRecording }: { pty: string; hasRecording: boolean }) => pty === wanted && hasRecording
}
