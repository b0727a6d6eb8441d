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

/** The terminal of a turn, in which people type lines for the agent. */
export interface TurnTerminal extends Omit<TerminalHandler, "type"> {
  echo(text: string): void
  /** Called for each line. */
  submitted(): void
  /** Called on Ctrl-C. */
  interrupt(): void
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

/** The terminals of one agent, and the conversation with it. */
export interface AgentAttachments {
  /** Holds input for a terminal until it is added. For one that is about to be announced: people may type before it is open. */
  expectTerminal(pty: string): void
  addTerminal(pty: string, terminal: TerminalHandler): void
  /**
   * Adds the terminal of a turn, whose lines become messages to the agent. A line that is begun goes on in the next turn's, and what
   * reaches the terminal once it is removed counts as typed into that: whoever typed it was told that it was accepted.
   */
  addTurn(pty: string, terminal: TurnTerminal): void
  removeTerminal(pty: string): void
  /** Sets the handler of messages from now on, earlier undelivered ones first; undefined for none. */
  setAgent(agent: AgentHandler | undefined): void
  /** Delivers a message to the agent, now or once it takes messages. */
  deliver(message: AgentMessage): void
  /** Removes and returns the messages that the agent has not taken. */
  takeUndelivered(): AgentMessage[]
  /** Removes and returns the line that was begun and not sent; empty if there is none. */
  takeLine(): string
}

/** The open terminals and the agents of this runner; all input of people goes through here. */
export interface Attachments {
  ofAgent(agentId: string): AgentAttachments
  /** Delivers a message to the terminal or the agent that it names. Returns the agent, if it is for one. */
  receive(message: InboxMessage): string | undefined
  /** Removes and returns the agents of closed terminals into which somebody has typed since, each terminal once. */
  takeLate(): string[]
}

/** The conversation with an agent, as far as the runner has to remember it. */
interface Conversation {
  agent: AgentHandler | undefined
  undelivered: AgentMessage[]
  editor: LineEditor
  turn: (TurnTerminal & { pty: string }) | undefined
}

interface OpenTerminal extends TerminalHandler {
  geometry: SizeOwner
  /** The open streams of each viewer: one that reconnects may open the next before the end of the last is told. */
  streams: Map<string, number>
}

/** Says that keys came to nothing, never which: they may be a password. */
export const LOST_KEYS = "The program in a terminal had ended before the last keys reached it. They went nowhere."

const CTRL_C = 3

type TerminalMessage = Extract<InboxMessage, { pty: string }>
type TerminalInput = Extract<InboxMessage, { type: "terminal_input" }>

/** More than anybody types and resizes while a terminal opens. */
const MAX_EARLY = 1000
/** The turns and closed terminals that are remembered: what was typed into an older one has long arrived. */
const MAX_TURNS = 100
const MAX_CLOSED = 100
/** Keys that answer or end a program do no harm once that is gone. */
const TEXT = /[^\p{Cc}]|[\r\n]/u

/** Whether a person typed something, not only keys that answer or end a program. */
export function isTextInput(message: InboxMessage): boolean {
  return message.type === "terminal_input" && hasText(Buffer.from(message.data, "base64"))
}

/** Whether keys are something, and don't only answer or end a program. */
export function hasText(keys: Uint8Array): boolean {
  const text = `${Buffer.from(keys)}`
  return !text.startsWith("\u001b") && TEXT.test(text)
}

export function createAttachments(): Attachments {
  const terminals = new Map<string, OpenTerminal>()
  /** The input for terminals that aren't open yet. */
  const early = new Map<string, TerminalMessage[]>()
  const isNew = createOnce()
  const conversations = new Map<string, Conversation>()
  /** The agents whose turns had these terminals. */
  const turns = new Map<string, string>()
  /** The agents of other terminals that were closed. */
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

  /** Takes what was typed into a turn that is over by now. Ctrl-C was meant for that one. */
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
