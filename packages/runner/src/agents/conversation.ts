import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { createLineEditor } from "./line-editor.ts"
import type { TerminalHandler } from "./open-terminal.ts"

/** Terminal of a turn. Lines that people type into it are for the agent. */
export interface TurnTerminal extends Omit<TerminalHandler, "type"> {
  echo(text: string): void
  /** Called when a person submits a line. */
  submitted(): void
  /** Called when a person presses Ctrl-C. */
  interrupt(): void
}

export type AgentMessage = Extract<InboxMessage, { type: "agent_message" }>

/** Handles people's messages to a running agent. */
export interface AgentHandler {
  /** Delivers a message. Returns false if the agent isn't accepting messages. */
  say(message: AgentMessage): boolean
  interrupt(): void
  /** Lets a person take over. Defined while Switchyard controls the agent. */
  takeOver?(): void
  /** Ends the takeover. Defined while a person controls the agent. */
  handBack?(): void
}

/** Conversation with one agent, which needn't be running. */
export interface Conversation {
  receive(message: Exclude<InboxMessage, { pty: string }>): void
  /** Delivers a message now, or as soon as the agent accepts messages. */
  deliver(message: AgentMessage): void
  /** Sets the message handler, and delivers waiting messages to it. Undefined removes the handler. */
  setAgent(agent: AgentHandler | undefined): void
  /** Removes and returns the messages that the agent hasn't received. */
  takeUndelivered(): AgentMessage[]
  /** Sets the turn's terminal, and redraws the unfinished line in it. */
  openTurn(pty: string, turn: TurnTerminal): void
  /** Removes the turn's terminal if it is still the terminal `pty`. */
  closeTurn(pty: string): void
  /** Adds keys to the unfinished line, even if no terminal shows the line. */
  type(keys: Uint8Array): void
  /** Removes and returns the unfinished line, or an empty string. */
  takeLine(): string
}

export function createConversation(): Conversation {
  let agent: AgentHandler | undefined
  let turn: (TurnTerminal & { pty: string }) | undefined
  const undelivered: AgentMessage[] = []
  const editor = createLineEditor({
    echo: (text) => turn?.echo(text),
    submit(content) {
      deliver({ type: "agent_message", content, source: "terminal" })
      turn?.submitted()
    },
    interrupt: () => turn?.interrupt(),
  })

  function deliver(message: AgentMessage): void {
    undelivered.push(message)
    deliverAll()
  }

  function deliverAll(): void {
    for (let next = undelivered[0]; next && agent?.say(next); next = undelivered[0]) undelivered.shift()
  }

  return {
    receive(message) {
      if (message.type === "agent_message") deliver(message)
      else if (message.type === "agent_interrupt") agent?.interrupt()
      else if (message.type === "agent_take_over") agent?.takeOver?.()
      else agent?.handBack?.()
    },
    deliver,
    setAgent(next) {
      agent = next
      deliverAll()
    },
    takeUndelivered: () => undelivered.splice(0),
    openTurn(pty, next) {
      turn = { ...next, pty }
      editor.redraw()
    },
    closeTurn(pty) {
      if (turn?.pty === pty) turn = undefined
    },
    type: editor.type,
    takeLine: editor.take,
  }
}
