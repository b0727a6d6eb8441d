import { useEffect, useState } from "react"
import { countUpTo } from "../../stream/moments.ts"
import type { SessionStore } from "../../stream/session-store.ts"
import { useSessionData } from "./use-session.ts"

/** How often a replay that plays moves on, and how long all of it takes at most. */
const FRAME_MS = 60
const LENGTH_MS = 20_000

/** Where the screen is on the session's line, counted in events, and how to go elsewhere. */
export function useReplay(session: SessionStore) {
  const { events } = session.store.getState()
  const replaySeq = useSessionData(session, (data) => data.replaySeq)
  const headSeq = useSessionData(session, ({ live }) => live.seq)
  const [playing, setPlaying] = useState(false)
  const total = countUpTo(events, headSeq)
  const position = replaySeq === null ? total : countUpTo(events, replaySeq)

  const go = (to: number) => session.replay(to >= total ? null : (events[Math.max(1, to) - 1]?.seq ?? null))

  useEffect(() => {
    if (!playing) return
    const timer = setInterval(() => {
      const { replaySeq: now, live } = session.store.getState()
      if (now === null) return setPlaying(false)
      const stride = Math.max(1, Math.round((events.length * FRAME_MS) / LENGTH_MS))
      const next = countUpTo(events, now) + stride
      session.replay(next >= events.length ? null : (events[next - 1]?.seq ?? live.seq))
    }, FRAME_MS)
    return () => clearInterval(timer)
  }, [playing, session, events])

  return {
    position,
    total,
    replaying: replaySeq !== null,
    playing: playing && replaySeq !== null,
    at: events[position - 1]?.ts,
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
