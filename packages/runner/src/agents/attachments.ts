import { createOnce } from "@switchyard/core/agents/runner/inbox"
import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { createSizeOwner } from "@switchyard/core/agents/terminals/size-owner"

/** Handles people's input to an open terminal. */
export interface TerminalHandler {
  type(bytes: Uint8Array): void
  resize(rows: number, cols: number): void
  watched(client: string): void
  left(client: string): void
}

export type AgentMessage = Extract<InboxMessage, { type: "agent_message" }>

/** Handles people's messages to an agent at work. */
export interface AgentHandler {
  /** Delivers a message; false if the agent takes none at this moment. */
  say(message: AgentMessage): boolean
  interrupt(): void
  /** Present while the product controls the agent. */
  takeOver?(): void
  /** Present while a person controls it. */
  handBack?(): void
}

/** The open terminals and the agent of this runner; all input of people goes through here. */
export interface Attachments {
  addTerminal(pty: string, terminal: TerminalHandler): void
  removeTerminal(pty: string): void
  isOpen(pty: string): boolean
  /** Sets the agent that takes messages from now on, earlier undelivered ones first; undefined for none. */
  setAgent(agent: AgentHandler | undefined): void
  /** Removes and returns the messages that no agent has taken. */
  takeUndelivered(): AgentMessage[]
  receive(message: InboxMessage): void
}

export function createAttachments(): Attachments {
  const terminals = new Map<string, TerminalHandler & { geometry: ReturnType<typeof createSizeOwner> }>()
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
      if (terminal.geometry.requestSize(client, message.take)) terminal.resize(message.rows, message.cols)
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
