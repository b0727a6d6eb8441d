import { useEffect, useState } from "react"
import type { SessionStore } from "../../session/stream/session-store.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { useStreams } from "../../session/view/use-streams.ts"
import { Button } from "../../ui/button.tsx"
import { useDelay } from "../../ui/use-delay.ts"

/** Says that the server is gone, and when it is tried again. The region is always present, so that it is announced. */
export function OutageBanner({ session }: { session: SessionStore }) {
  const retryAt = useSessionData(session, ({ connection }) =>
    connection.state === "reconnecting" ? connection.retryAt : null,
  )
  return <div role="status">{retryAt !== null && <Outage retryAt={retryAt} />}</div>
}

/** A connection that is back within this time was hardly gone. */
const NOTICED_MS = 1_000

function Outage({ retryAt }: { retryAt: number }) {
  const streams = useStreams()
  const noticed = useDelay(NOTICED_MS)
  const seconds = useSecondsUntil(retryAt)
  useEffect(() => {
    if (!noticed) return
    const page = document.documentElement
    // A spinner would say that something is being done.
    page.dataset.outage = ""
    return () => {
      delete page.dataset.outage
    }
  }, [noticed])
  if (!noticed) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-l-4 border-b-line border-l-need bg-need-bg py-1 pr-2 pl-3 text-sm">
      <p className="min-w-0 flex-1 basis-52">
        Disconnected from the server. You're seeing the last known state; runs go on without this page.
      </p>
      {/* Not announced: it changes every second. */}
      <span aria-hidden className="text-ink-2 nums">
        {seconds > 0 ? `Trying again in ${seconds} s` : "Trying again"}
      </span>
      <Button size="sm" onClick={() => streams.retry()}>
        Retry now
      </Button>
    </div>
  )
}

function useSecondsUntil(at: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((at - now) / 1000))
}
