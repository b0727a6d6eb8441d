import { useEffect, useState } from "react"
import { countUpTo } from "../stream/moments.ts"
import type { SessionData, SessionStore } from "../stream/session-store.ts"
import { stretchAt } from "../stream/stretches.ts"
import { useSessionData } from "./use-session.ts"

/** How often a replay that plays moves on, and how long all of it takes at most. */
const FRAME_MS = 60
const LENGTH_MS = 20_000

/** Where the screen is on the session's line, counted in events, and how to go elsewhere. */
export function useReplay(session: SessionStore) {
  const firstSeq = useSessionData(session, (data) => data.firstSeq)
  const replaySeq = useSessionData(session, (data) => data.replaySeq)
  const headSeq = useSessionData(session, ({ live }) => live.seq)
  const [playing, setPlaying] = useState(false)
  // A log has every number, so an event's place follows from its number, whether or not it was read.
  const total = headSeq === 0 ? 0 : headSeq - firstSeq + 1
  const position = replaySeq === null ? total : Math.max(1, replaySeq - firstSeq + 1)

  const go = (to: number) => session.replay(to >= total ? null : firstSeq + Math.max(1, to) - 1)

  useEffect(() => {
    if (!playing) return
    const timer = setInterval(() => {
      const { replaySeq: now, live, firstSeq: first } = session.store.getState()
      if (now === null) return setPlaying(false)
      const stride = Math.max(1, Math.round(((live.seq - first + 1) * FRAME_MS) / LENGTH_MS))
      session.replay(now + stride >= live.seq ? null : now + stride)
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
    /** Plays on from here, from the beginning when live, or pauses. */
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

/** When it was, as far as anything from then or shortly before was read. */
function timeOf({ spine, stretches }: SessionData, seq: number): string | undefined {
  const events = stretchAt(stretches, seq)?.events ?? spine
  return events[countUpTo(events, seq) - 1]?.ts
}
