import { type RefObject, useMemo, useState } from "react"
import { anything } from "../../../api/decode.ts"
import { useCommand } from "../../../session/context/commands.ts"
import { useTold } from "../../../session/context/studio.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import type { EventOfType, StudioEvent } from "../../../session/stream/event.ts"
import { isRunning } from "../../../session/stream/run.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"

/** Returns the actions that take control of the agent or hand it back, if available. */
export function useTakeover(terminal: TerminalView, readOnly: string | null, awaited: RefObject<boolean>) {
  const kind = useOpenedEvent(terminal.pty)?.kind
  const running = useSessionData(({ live }) => isRunning(live.run) && !live.run?.cancelRequested)
  const { asking, takeOver, handBack } = useTakeoverRequests()
  const can = running && !terminal.closed && readOnly === null
  const awaiting = (act: () => Promise<boolean>) => async () => {
    awaited.current = await act()
  }
  const actions = {
    takeOver: can && kind === "driver" ? awaiting(takeOver) : null,
    handBack: can && kind === "tui" ? awaiting(handBack) : null,
  }
  useCommand("take-over", "Take control of the agent", actions.takeOver)
  useCommand("hand-back", "Hand control back to the agent", actions.handBack)
  return { ...actions, busy: asking }
}

/** Returns the event that opened a terminal, which says who controls it. */
function useOpenedEvent(pty: string): EventOfType<"terminal_opened"> | undefined {
  const { structural } = useShownSession().store.getState()
  return useMemo(() => structural.findLast((event): event is Opening => isOpening(event, pty)), [structural, pty])
}

type Opening = EventOfType<"terminal_opened">

function isOpening(event: StudioEvent, pty: string): boolean {
  return event.type === "terminal_opened" && event.pty === pty
}

/** Requests control of the agent's own UI, or hands it back. The log reports the result. */
function useTakeoverRequests() {
  const { api, sessionId, store } = useShownSession()
  const told = useTold()
  const [asking, setAsking] = useState(false)

  /** Resolves to true if the request was accepted. */
  async function ask(what: `POST /api/v1/sessions/{id}/${"take-over" | "hand-back"}`): Promise<boolean> {
    setAsking(true)
    const query = { agent_id: store.getState().live.run?.agentId }
    const answer = await told(api.call(what, { path: { id: sessionId }, query, response: anything }))
    setAsking(false)
    return answer !== null
  }

  return {
    asking,
    takeOver: () => ask("POST /api/v1/sessions/{id}/take-over"),
    handBack: () => ask("POST /api/v1/sessions/{id}/hand-back"),
  }
}
