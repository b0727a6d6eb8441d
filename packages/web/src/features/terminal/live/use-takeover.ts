import { type RefObject, useMemo, useState } from "react"
import { anything } from "../../../api/decode.ts"
import { useCommand, useHeldLetters } from "../../../session/context/commands.ts"
import { useTold } from "../../../session/context/studio.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import type { EventOfType, StudioEvent } from "../../../session/stream/event.ts"
import { isRunning, type RunView } from "../../../session/stream/run.ts"
import type { SessionView } from "../../../session/stream/view.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"

/**
 * Returns the actions that take control of the agent or hand it back, if available. `isLost`: the agent's own interface
 * closed while it was shown, without being handed back.
 */
export function useTakeover(terminal: TerminalView, readOnly: string | null, awaited: RefObject<string | null>) {
  const kind = useOpenedEvent(terminal.pty)?.kind
  const run = useSessionData(({ live }) => runOf(live.agents, terminal.runId))
  const running = isRunning(run) && !run?.cancelRequested
  const { asking, ask } = useTakeoverRequests(run?.agentId)
  const [request, setRequest] = useState<"take-over" | "hand-back" | null>(null)
  const [wasOpen] = useState(!terminal.closed)
  const can = running && !terminal.closed && readOnly === null
  const isControlled = request === "take-over" || (kind === "tui" && wasOpen)
  // From the request on, typed text is meant for the agent's own interface, even if that has just closed.
  useHeldLetters(isControlled && readOnly === null)
  const awaiting = (wanted: "take-over" | "hand-back") => async () => {
    // Set before the response, because the log may report the next terminal first.
    awaited.current = terminal.pty
    setRequest(wanted)
    if (await ask(wanted)) return
    awaited.current = null
    setRequest(null)
  }
  const actions = {
    takeOver: can && kind === "driver" ? awaiting("take-over") : null,
    handBack: can && kind === "tui" ? awaiting("hand-back") : null,
  }
  useCommand("take-over", "Take control of the agent", actions.takeOver)
  useCommand("hand-back", "Hand control back to the agent", actions.handBack)
  const isAwaited = running && request !== null
  return { ...actions, busy: asking, isLost: isControlled && terminal.closed && readOnly === null && !isAwaited }
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
  async function ask(what: "take-over" | "hand-back"): Promise<boolean> {
    setAsking(true)
    const about = { path: { id: sessionId }, query: { agent_id: agentId }, response: anything }
    const answer = await told(api.call(`POST /api/v1/sessions/{id}/${what}`, about))
    setAsking(false)
    return answer !== null
  }

  return { asking, ask }
}
