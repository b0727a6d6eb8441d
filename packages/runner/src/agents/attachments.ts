import { MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { createOnce } from "@switchyard/core/agents/runner/inbox"
import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { createSizeOwner, type SizeOwner } from "@switchyard/core/agents/terminals/size-owner"
import { createLineEditor, type LineEditor } from "./line-editor.ts"

/** Handles people's input to an open terminal. */
export interface TerminalHandler {
  type(bytes: Uint8Array): void
  resize(rows: number, cols: number): void
  watched(client: string): void
  left(client: string): void
}

/** Terminal of a turn, in which people type lines for the agent. */
export interface TurnTerminal extends Omit<TerminalHandler, "type"> {
  echo(text: string): void
  /** Called for each line. */
  submitted(): void
  /** Called on Ctrl-C. */
  interrupt(): void
}

export type AgentMessage = Extract<InboxMessage, { type: "agent_message" }>

/** Handles people's messages to a running agent. */
export interface AgentHandler {
  /** Delivers a message. Returns false if the agent accepts none now. */
  say(message: AgentMessage): boolean
  interrupt(): void
  /** Present while the product controls the agent. */
  takeOver?(): void
  /** Present while a person controls it. */
  handBack?(): void
}

/** Terminals of one agent, and the conversation with it. */
export interface AgentAttachments {
  /** Holds input for an announced terminal until it is added: people may type before it opens. */
  expectTerminal(pty: string): void
  addTerminal(pty: string, terminal: TerminalHandler): void
  /**
   * Adds the terminal of a turn, whose lines become messages to the agent. An unfinished line continues in the next
   * turn's terminal. So does input that arrives after removal, because its sender was told that it was accepted.
   */
  addTurn(pty: string, terminal: TurnTerminal): void
  removeTerminal(pty: string): void
  /** Sets the handler of messages and delivers waiting ones to it. Undefined removes the handler. */
  setAgent(agent: AgentHandler | undefined): void
  /** Delivers a message now, or once the agent accepts messages. */
  deliver(message: AgentMessage): void
  /** Removes and returns messages that the agent has not taken. */
  takeUndelivered(): AgentMessage[]
  /** Removes and returns the unfinished line; empty if there is none. */
  takeLine(): string
}

/** Open terminals and agents of this runner. All input of people passes through here. */
export interface Attachments {
  ofAgent(agentId: string): AgentAttachments
  /** Delivers a message to its terminal or agent. Returns the id of the agent that it is for, if any. */
  receive(message: InboxMessage): string | undefined
  /** Removes and returns agents of closed terminals that received text since, each terminal once. */
  takeLate(): string[]
}

/** Conversation with an agent, as far as the runner must remember it. */
interface Conversation {
  agent: AgentHandler | undefined
  undelivered: AgentMessage[]
  editor: LineEditor
  turn: (TurnTerminal & { pty: string }) | undefined
}

interface OpenTerminal extends TerminalHandler {
  geometry: SizeOwner
  /** Open streams per viewer. A viewer may reconnect before the end of its last stream is reported. */
  streams: Map<string, number>
}

/** Reports that keys were lost, but not which: they may be a password. */
export const LOST_KEYS = "The program in a terminal had ended before the last keys reached it. They went nowhere."

const CTRL_C = 3

type TerminalMessage = Extract<InboxMessage, { pty: string }>
type TerminalInput = Extract<InboxMessage, { type: "terminal_input" }>

/** More input than people send while a terminal opens. */
const MAX_EARLY = 1000
/** Limits of remembered turns and closed terminals. Input for older ones arrived long ago. */
const MAX_TURNS = 100
const MAX_CLOSED = 100
/** Text. Keys that only answer or end a program do no harm once it is gone. */
const TEXT = /[^\p{Cc}]|[\r\n]/u

/** True if a person typed text, not only keys that answer or end a program. */
export function isTextInput(message: InboxMessage): boolean {
  return message.type === "terminal_input" && hasText(Buffer.from(message.data, "base64"))
}

/** True if the keys contain text, and don't only answer or end a program. */
export function hasText(keys: Uint8Array): boolean {
  const text = `${Buffer.from(keys)}`
  return !text.startsWith("\u001b") && TEXT.test(text)
}

export function createAttachments(): Attachments {
  const terminals = new Map<string, OpenTerminal>()
  /** Input for terminals that aren't open yet. */
  const early = new Map<string, TerminalMessage[]>()
  const isNew = createOnce()
  const conversations = new Map<string, Conversation>()
  /** Agent of each turn's terminal. */
  const turns = new Map<string, string>()
  /** Agent of each other closed terminal. */
  const closed = new Map<string, string>()
  let late: string[] = []

  function conversationOf(agentId: string): Conversation {
    const conversation = conversations.get(agentId) ?? begin(agentId)
    conversations.set(agentId, conversation)
    return conversation
  }

  function begin(agentId: string): Conversation {
    const editor = createLineEditor({
      echo: (text) => conversation.turn?.echo(text),
      submit(content) {
        deliver(agentId, { type: "agent_message", content, source: "terminal" })
        conversation.turn?.submitted()
      },
      interrupt: () => conversation.turn?.interrupt(),
    })
    const conversation: Conversation = { agent: undefined, undelivered: [], editor, turn: undefined }
    return conversation
  }

  function receive(message: InboxMessage): string | undefined {
    if ("pty" in message) return receiveInput(message)
    const agentId = message.agent_id ?? MAIN_AGENT
    receiveForAgent(agentId, message)
    return agentId
  }

  function receiveForAgent(agentId: string, message: Exclude<InboxMessage, { pty: string }>): void {
    const { agent } = conversationOf(agentId)
    if (message.type === "agent_message") deliver(agentId, message)
    else if (message.type === "agent_interrupt") agent?.interrupt()
    else if (message.type === "agent_take_over") agent?.takeOver?.()
    else agent?.handBack?.()
  }

  function deliver(agentId: string, message: AgentMessage): void {
    const conversation = conversationOf(agentId)
    conversation.undelivered.push(message)
    deliverAll(conversation)
  }

  function deliverAll({ agent, undelivered }: Conversation): void {
    for (let next = undelivered[0]; next && agent?.say(next); next = undelivered[0]) undelivered.shift()
  }

  function receiveInput(message: TerminalMessage): string | undefined {
    const terminal = terminals.get(message.pty)
    if (terminal) receiveFor(terminal, message)
    else if (!receiveEarly(message)) receiveLate(message)
    return turns.get(message.pty)
  }

  function receiveFor(terminal: OpenTerminal, message: TerminalMessage): void {
    const { client } = message
    if (message.type === "terminal_attached") {
      terminal.streams.set(client, (terminal.streams.get(client) ?? 0) + 1)
      terminal.geometry.attach(client)
      terminal.watched(client)
    } else if (message.type === "terminal_detached") {
      const streams = (terminal.streams.get(client) ?? 0) - 1
      if (streams > 0) return void terminal.streams.set(client, streams)
      terminal.streams.delete(client)
      terminal.geometry.release(client)
      terminal.left(client)
    } else if (message.type === "terminal_resize") {
      if (terminal.geometry.requestSize(client, message.take)) terminal.resize(message.rows, message.cols)
    } else if (isNew(`${message.pty} ${client}`, message.client_seq)) {
      terminal.type(Buffer.from(message.data, "base64"))
    }
  }

  function receiveEarly(message: TerminalMessage): boolean {
    const held = early.get(message.pty)
    if (held && held.length < MAX_EARLY) held.push(message)
    return held !== undefined
  }

  /** Adds late input for a finished turn to the agent's next line. Drops Ctrl-C, which was meant for that turn. */
  function receiveLate(message: TerminalMessage): void {
    if (message.type !== "terminal_input") return
    const agentId = turns.get(message.pty)
    if (agentId === undefined) {
      noteLate(message)
      return
    }
    if (!isNew(`${message.pty} ${message.client}`, message.client_seq)) return
    conversationOf(agentId).editor.type(Buffer.from(message.data, "base64").filter((byte) => byte !== CTRL_C))
  }

  function noteLate(message: TerminalInput): void {
    const { pty } = message
    const agentId = closed.get(pty)
    if (agentId === undefined || !isTextInput(message)) return
    closed.delete(pty)
    late.push(agentId)
  }

  function add(pty: string, terminal: TerminalHandler): void {
    terminals.set(pty, { ...terminal, geometry: createSizeOwner(), streams: new Map() })
    const held = early.get(pty) ?? []
    early.delete(pty)
    held.forEach(receiveInput)
  }

  function addTurn(agentId: string, pty: string, turn: TurnTerminal): void {
    const conversation = conversationOf(agentId)
    const { editor } = conversation
    conversation.turn = { ...turn, pty }
    turns.set(pty, agentId)
    if (turns.size > MAX_TURNS) turns.delete(turns.keys().next().value ?? "")
    editor.redraw()
    add(pty, { ...turn, type: editor.type })
  }

  function remove(agentId: string, pty: string): void {
    terminals.delete(pty)
    if (!turns.has(pty)) closed.set(pty, agentId)
    if (closed.size > MAX_CLOSED) closed.delete(closed.keys().next().value ?? "")
    const conversation = conversationOf(agentId)
    if (conversation.turn?.pty === pty) conversation.turn = undefined
  }

  function ofAgent(agentId: string): AgentAttachments {
    return {
      expectTerminal: (pty) => void early.set(pty, []),
      addTerminal: add,
      addTurn: (pty, turn) => addTurn(agentId, pty, turn),
      removeTerminal: (pty) => remove(agentId, pty),
      setAgent(agent) {
        const conversation = conversationOf(agentId)
        conversation.agent = agent
        deliverAll(conversation)
      },
      deliver: (message) => deliver(agentId, message),
      takeUndelivered: () => conversationOf(agentId).undelivered.splice(0),
      takeLine: () => conversationOf(agentId).editor.take(),
    }
  }

  return {
    ofAgent,
    receive,
    takeLate() {
      const agents = late
      late = []
      return agents
    },
  }
}
