import type { AgentAttachments } from "./attachments.ts"
import type { AgentHandler } from "./conversation.ts"
import { BRACKETED_PASTE_OFF, BRACKETED_PASTE_ON } from "./line-editor.ts"
import type { TurnPlan } from "./turn.ts"
import type { TurnBudget } from "./turn-budget.ts"
import type { TurnControl, TurnParts } from "./turn-control.ts"

/** Connects people and the gateway to a running turn. */
export interface TurnAccess {
  /** Starts to deliver people's messages to the turn. Includes messages that arrived earlier. */
  offer(): void
  close(): void
}

export function openTurnAccess(
  attachments: AgentAttachments,
  plan: TurnPlan,
  { state, queue, shown, control, budget }: TurnParts & { control: TurnControl; budget: TurnBudget },
): TurnAccess {
  const { protocol } = plan.drive
  const interrupt = () => control.stop("cancelled")
  const agent: AgentHandler = {
    // Most protocols accept messages only after their session was opened.
    say({ content, source }) {
      if (!protocol.encodeMessage || control.isLeaving || state.nativeSession === null) return false
      queue.push([{ type: "user_message", content, source }])
      control.send(protocol.encodeMessage(content))
      return true
    },
    interrupt,
    takeOver() {
      if (state.takeOver()) interrupt()
    },
  }
  const submitted = () => {
    if (!protocol.encodeMessage) control.show(`\r\n(${plan.title} receives this after its turn)\r\n`)
  }
  const offer = () => attachments.setAgent(agent)
  const { type: _, ...terminal } = shown.attached(() => {})
  control.show(BRACKETED_PASTE_ON)
  attachments.addTurn(shown.pty, { ...terminal, echo: control.show, submitted, interrupt })
  offer()
  if (plan.gateway) {
    plan.gateway.listener = control.receiveAnswer
    plan.gateway.admit = budget.admit
  }
  return {
    offer,
    close() {
      attachments.setAgent(undefined)
      attachments.removeTerminal(shown.pty)
      control.show(BRACKETED_PASTE_OFF)
    },
  }
}
