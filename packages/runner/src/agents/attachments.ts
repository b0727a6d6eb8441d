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

/** Terminal of a turn, where people type lines for the agent. */
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
  /** Delivers a message. Returns false if the agent isn't accepting messages. */
  say(message: AgentMessage): boolean
  interrupt(): void
  /** Present while Switchyard controls the agent. */
  takeOver?(): void
  /** Present while a person controls the agent. */
  handBack?(): void
}

/** Terminals of one agent, and the conversation with it. */
export interface AgentAttachments {
  /** Buffers input for an announced terminal until it is added: people may type before it opens. */
  expectTerminal(pty: string): void
  addTerminal(pty: string, terminal: TerminalHandler): void
  /**
   * Adds the terminal of a turn, whose lines become messages to the agent. An unfinished line carries over to the next
   * turn's terminal, as does input that arrives after removal, because its sender was told that it had been accepted.
   */
  addTurn(pty: string, terminal: TurnTerminal): void
  removeTerminal(pty: string): void
  /** Sets the message handler and delivers waiting messages to it. Undefined removes the handler. */
  setAgent(agent: AgentHandler | undefined): void
  /** Delivers a message now, or once the agent accepts messages. */
  deliver(message: AgentMessage): void
  /** Removes and returns the messages that the agent hasn't consumed. */
  takeUndelivered(): AgentMessage[]
  /** Removes and returns the unfinished line, or an empty string. */
  takeLine(): string
}

/** This runner's open terminals and agents. All user input passes through here. */
export interface Attachments {
  ofAgent(agentId: string): AgentAttachments
  /** Delivers a message to its terminal or agent. Returns the recipient agent's id, if any. */
  receive(message: InboxMessage): string | undefined
  /** Removes and returns agents whose closed terminals have received text since the last call, once per terminal. */
  takeLate(): string[]
}

/** State of the conversation with one agent. */
interface Conversation {
  agent: AgentHandler | undefined
  undelivered: AgentMessage[]
  editor: LineEditor
  turn: (TurnTerminal & { pty: string }) | undefined
}

interface OpenTerminal extends TerminalHandler {
  geometry: SizeOwner
  /** Open streams per viewer. A viewer may reconnect before its previous stream is reported closed. */
  streams: Map<string, number>
}

/** Doesn't repeat the lost keys, which may be a password. */
export const LOST_KEYS = "The program in a terminal exited before reading the last keys, so they were lost."

const CTRL_C = 3

type TerminalMessage = Extract<InboxMessage, { pty: string }>
type TerminalInput = Extract<InboxMessage, { type: "terminal_input" }>

/** More input than people type while a terminal opens. */
const MAX_EARLY = 1000
/** How many turns and closed terminals to remember. Late input for older ones isn't expected any more. */
const MAX_TURNS = 100
const MAX_CLOSED = 100
/**
 * Matches text, but not keys that only answer or end a program: losing those is harmless once the program has exited.
 */
const TEXT = /[^\p{Cc}]|[\r\n]/u

/** True if a person typed text, rather than just keys that answer or end a program. */
export function isTextInput(message: InboxMessage): boolean {
  return message.type === "terminal_input" && hasText(Buffer.from(message.data, "base64"))
}

/** True if the keys contain text, rather than just answering or ending a program. */
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
  /** Agent id per turn terminal. */
  const turns = new Map<string, string>()
  /** Agent id per closed terminal outside turns. */
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

  /** Adds input that arrived after its turn to the agent's next line. Drops Ctrl-C, which was meant for that turn. */
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
