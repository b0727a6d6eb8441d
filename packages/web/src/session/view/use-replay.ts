import { useEffect, useState } from "react"
import { countUpTo } from "../stream/keyframes.ts"
import { segmentAt } from "../stream/segments.ts"
import type { SessionData } from "../stream/session-data.ts"
import { FRAME_MS, nextSeq, positionOf, seqAtPosition, totalOf } from "./replay-position.ts"
import { useSessionData, useShownSession } from "./use-session.ts"

/** Returns the replay's position on the session's timeline, counted in events, and its controls. */
export function useReplay() {
  const session = useShownSession()
  const firstSeq = useSessionData((data) => data.firstSeq)
  const replaySeq = useSessionData((data) => data.replaySeq)
  const headSeq = useSessionData(({ live }) => live.seq)
  const [playing, setPlaying] = useState(false)
  const input = { firstSeq, headSeq, replaySeq }
  const total = totalOf(input)
  const position = positionOf(input)
  const go = (to: number) => session.replay(seqAtPosition(input, to))

  useEffect(() => {
    if (!playing) return
    const timer = setInterval(() => {
      const { replaySeq, live, firstSeq } = session.store.getState()
      if (replaySeq === null) return setPlaying(false)
      session.replay(nextSeq({ firstSeq, headSeq: live.seq, replaySeq }))
    }, FRAME_MS)
    return () => clearInterval(timer)
  }, [playing, session])

  return {
    position,
    total,
    replaying: replaySeq !== null,
    playing: playing && replaySeq !== null,
    at: timeOf(session.store.getState(), replaySeq ?? headSeq),
    go: (to: number) => {
      setPlaying(false)
      go(to)
    },
    step: (by: 1 | -1) => {
      setPlaying(false)
      go(position + by)
    },
    /** Plays from here, or from the beginning when live. Pauses if already playing. */
    play: () => {
      if (replaySeq === null) go(1)
      setPlaying(!playing || replaySeq === null)
    },
    live: () => {
      setPlaying(false)
      session.replay(null)
    },
  }
}

/** Returns the time of an event, or of the last loaded one before it. */
function timeOf({ structural, segments }: SessionData, seq: number): string | undefined {
  const events = segmentAt(segments, seq)?.events ?? structural
  return events[countUpTo(events, seq) - 1]?.ts
}
