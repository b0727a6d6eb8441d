import { useMemo } from "react"
import type { EventOfType, StudioEvent } from "../../../session/stream/event.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"

/** The event that opened a terminal, which says who drives it. */
export function useOpenedEvent(session: SessionStore, pty: string): EventOfType<"terminal_opened"> | undefined {
  const { spine } = session.store.getState()
  return useMemo(() => spine.findLast((event): event is Opening => isOpening(event, pty)), [spine, pty])
}

type Opening = EventOfType<"terminal_opened">

function isOpening(event: StudioEvent, pty: string): boolean {
  return event.type === "terminal_opened" && event.pty === pty
}
