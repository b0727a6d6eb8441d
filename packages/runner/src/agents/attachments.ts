import { createOnce } from "@switchyard/core/agents/runner/inbox"
import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { createGeometry } from "@switchyard/core/agents/terminals/size-owner"

/** What a terminal that is open here does with what people send. */
export interface TerminalHandler {
  type(bytes: Uint8Array): void
  resize(rows: number, cols: number): void
  watched(client: string): void
  left(client: string): void
}

export type AgentMessage = Extract<InboxMessage, { type: "agent_message" }>

/** An agent at work, which can be spoken to. */
export interface AgentHandler {
  /** Passes on what a person says. False where the agent takes nothing at this moment. */
  say(message: AgentMessage): boolean
  interrupt(): void
  /** Present while the product speaks with the agent. */
  takeOver?(): void
  /** Present while a person does. */
  handBack?(): void
}

/** The terminals and agents that are open in this runner, and the one place through which people reach them. */
export interface Attachments {
  addTerminal(pty: string, terminal: TerminalHandler): void
  removeTerminal(pty: string): void
  isOpen(pty: string): boolean
  /** The agent that takes messages now, those first that came before; undefined when there is none. */
  setAgent(agent: AgentHandler | undefined): void
  /** Removes the messages that no agent has taken, and returns them. */
  takeUndelivered(): AgentMessage[]
  receive(message: InboxMessage): void
}

export function createAttachments(): Attachments {
  const terminals = new Map<string, TerminalHandler & { geometry: ReturnType<typeof createGeometry> }>()
  const isNew = createOnce()
  let agent: AgentHandler | undefined
  let unheard: AgentMessage[] = []

  function receive(message: InboxMessage): void {
    if (message.type === "agent_message") {
      unheard.push(message)
      deliver()
    } else if (message.type === "agent_interrupt") agent?.interrupt()
    else if (message.type === "agent_take_over") agent?.takeOver?.()
    else if (message.type === "agent_hand_back") agent?.handBack?.()
    else forTerminal(message)
  }

  function deliver(): void {
    for (let next = unheard[0]; next && agent?.say(next); next = unheard[0]) unheard.shift()
  }

  function forTerminal(message: Extract<InboxMessage, { pty: string }>): void {
    const terminal = terminals.get(message.pty)
    if (!terminal) return
    const { client } = message
    if (message.type === "terminal_attached") terminal.watched(client)
    else if (message.type === "terminal_detached") {
      terminal.geometry.left(client)
      terminal.left(client)
    } else if (message.type === "terminal_resize") {
      if (terminal.geometry.asks(client, message.take)) terminal.resize(message.rows, message.cols)
    } else if (isNew(`${message.pty} ${client}`, message.client_seq)) {
      terminal.type(Buffer.from(message.data, "base64"))
    }
  }

  return {
    addTerminal: (pty, terminal) => void terminals.set(pty, { ...terminal, geometry: createGeometry() }),
    removeTerminal: (pty) => void terminals.delete(pty),
    isOpen: (pty) => terminals.has(pty),
    setAgent(next) {
      agent = next
      deliver()
    },
    takeUndelivered() {
      const taken = unheard
      unheard = []
      return taken
    },
    receive,
  }
}
