import { useMemo } from "react"
import type { EventOfType, StudioEvent } from "../../../session/stream/event.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"

/** The event that opened a terminal, which says who drives it. */
export function useOpenedEvent(session: SessionStore, pty: string): EventOfType<"terminal_opened"> | undefined {
  const { structural } = session.store.getState()
  return useMemo(() => structural.findLast((event): event is Opening => isOpening(event, pty)), [structural, pty])
}

type Opening = EventOfType<"terminal_opened">

function isOpening(event: StudioEvent, pty: string): boolean {
  return event.type === "terminal_opened" && event.pty === pty
}
