import { useEffect, useState } from "react"
import { useLocation } from "wouter"
import { paths } from "../../session/context/routes.ts"
import { useSessions } from "../../session/list/use-sessions.ts"
import { useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { ArrowRight } from "../../ui/session-icons.tsx"

/** After the last answer in a session, offers the next session that needs one. */
export function NextQuestion({ isAsking }: { isAsking: boolean }) {
  const { sessionId } = useShownSession()
  const [wasAsking, setWasAsking] = useState(isAsking)
  const [, go] = useLocation()
  // In another column, another agent of the session may still be asking.
  const isSessionAsking = useSessionData(({ shown }) =>
    Object.values(shown.agents).some(({ agent }) => agent.questions.length > 0),
  )
  const next = useSessions().data?.sessions.find(({ column, id }) => column === "needs_you" && id !== sessionId)
  useEffect(() => {
    if (isAsking) setWasAsking(true)
  }, [isAsking])
  if (isSessionAsking || !wasAsking || !next) return null
  return (
    <p className="mx-auto flex max-w-[852px] items-center gap-2 px-3 py-1.5 text-sm text-ink-2">
      <span className="min-w-0 truncate">There's also a question in {next.name}.</span>
      <Button size="sm" onClick={() => go(paths.session(next.id))}>
        Next question <ArrowRight size={14} aria-hidden />
      </Button>
    </p>
  )
}
