import type { RefObject } from "react"
import { useCommand } from "../../../session/context/commands.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import { isRunning } from "../../../session/stream/run.ts"
import type { SessionStore } from "../../../session/stream/session-store.ts"
import { useSessionData } from "../../../session/view/use-session.ts"
import { useOpenedEvent } from "./use-opened-event.ts"
import { useTakeoverRequests } from "./use-takeover-requests.ts"

/** The actions that take control of the agent or hand it back, as far as they are available. */
export function useTakeover(
  session: SessionStore,
  terminal: TerminalView,
  readOnly: string | null,
  awaited: RefObject<boolean>,
) {
  const kind = useOpenedEvent(session, terminal.pty)?.kind
  const running = useSessionData(session, ({ live }) => isRunning(live.run) && !live.run?.cancelRequested)
  const { asking, takeOver, handBack } = useTakeoverRequests(session)
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
