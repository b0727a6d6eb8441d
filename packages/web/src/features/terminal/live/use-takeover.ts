import { type RefObject, useMemo, useState } from "react"
import { anything } from "../../../api/decode.ts"
import { useCommand, useHeldLetters } from "../../../session/context/commands.ts"
import { useTold } from "../../../session/context/studio.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import type { EventOfType, StudioEvent } from "../../../session/stream/event.ts"
import { isRunning, type RunView } from "../../../session/stream/run.ts"
import type { SessionView } from "../../../session/stream/view.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"

/** Returns the actions that take control of the agent or hand it back, if available. */
export function useTakeover(terminal: TerminalView, readOnly: string | null, awaited: RefObject<boolean>) {
  const kind = useOpenedEvent(terminal.pty)?.kind
  const run = useSessionData(({ live }) => runOf(live.agents, terminal.runId))
  const running = isRunning(run) && !run?.cancelRequested
  const { asking, takeOver, handBack } = useTakeoverRequests(run?.agentId)
  const [isTaking, setTaking] = useState(false)
  const can = running && !terminal.closed && readOnly === null
  // From the request on, typed text is meant for the agent's own interface.
  useHeldLetters((isTaking && running) || (kind === "tui" && !terminal.closed && readOnly === null))
  const awaiting = (act: () => Promise<boolean>) => async () => {
    // Set before the response, because the log may report the next terminal first.
    awaited.current = true
    setTaking(act === takeOver)
    if (await act()) return
    awaited.current = false
    setTaking(false)
  }
  const actions = {
    takeOver: can && kind === "driver" ? awaiting(takeOver) : null,
    handBack: can && kind === "tui" ? awaiting(handBack) : null,
  }
  useCommand("take-over", "Take control of the agent", actions.takeOver)
  useCommand("hand-back", "Hand control back to the agent", actions.handBack)
  return { ...actions, busy: asking }
}

/** Returns the latest run of its agent if it is the run with this ID. */
function runOf(agents: SessionView["agents"], runId: string | null): RunView | null {
  return Object.values(agents).find(({ run }) => run !== null && run.runId === runId)?.run ?? null
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
function useTakeoverRequests(agentId: string | undefined) {
  const { api, sessionId } = useShownSession()
  const told = useTold()
  const [asking, setAsking] = useState(false)

  /** Resolves to true if the request was accepted. */
  async function ask(what: `POST /api/v1/sessions/{id}/${"take-over" | "hand-back"}`): Promise<boolean> {
    setAsking(true)
    const query = { agent_id: agentId }
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
