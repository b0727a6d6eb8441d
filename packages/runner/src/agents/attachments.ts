import { MAIN_AGENT } from "@switchyard/core/agents/conversations/schema"
import { createOnce } from "@switchyard/core/agents/runner/inbox"
import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { createClosedTerminals } from "./closed-terminals.ts"
import {
  type AgentHandler,
  type AgentMessage,
  type Conversation,
  createConversation,
  type TurnTerminal,
} from "./conversation.ts"
import {
  createOpenTerminal,
  type OpenTerminal,
  type TerminalHandler,
  type TerminalInput,
  type TerminalMessage,
} from "./open-terminal.ts"

/** Terminals of one agent, and the conversation with that agent. */
export interface AgentAttachments {
  /** Buffers input for a terminal that was announced but not added yet, because people may already be typing. */
  expectTerminal(pty: string): void
  addTerminal(pty: string, terminal: TerminalHandler): void
  /**
   * Adds a turn's terminal. Lines typed into it become messages to the agent. An unfinished line moves to the next
   * turn's terminal. So does input that arrives after the terminal was removed, because its sender was told that the
   * input had been accepted.
   */
  addTurn(pty: string, terminal: TurnTerminal): void
  removeTerminal(pty: string): void
  /** Sets the message handler, and delivers waiting messages to it. Undefined removes the handler. */
  setAgent(agent: AgentHandler | undefined): void
  /** Delivers a message now, or as soon as the agent accepts messages. */
  deliver(message: AgentMessage): void
  /** Removes and returns the messages that the agent hasn't received. */
  takeUndelivered(): AgentMessage[]
  /** Removes and returns the unfinished line, or an empty string. */
  takeLine(): string
}

/** Open terminals and running agents of this runner. All user input passes through this object. */
export interface Attachments {
  ofAgent(agentId: string): AgentAttachments
  /**
   * Delivers a message to the terminal or agent that the message names. Returns the ID of the agent that received it.
   * Undefined if no agent did.
   */
  receive(message: InboxMessage): string | undefined
  /**
   * Returns the agents whose closed terminals have received text since the last call. Each terminal is reported once.
   */
  takeLate(): string[]
}

/** Message about lost keystrokes. It doesn't contain the keystrokes, because they may be a password. */
export const LOST_KEYS = "The program in a terminal exited before reading the last keys, so they were lost."

const CTRL_C = 3

/** Maximum number of messages that are buffered for a terminal. People type fewer while it opens. */
const MAX_EARLY = 1000
/** Number of turns to remember. Older turns can't receive input any more. */
const MAX_TURNS = 100

export function createAttachments(): Attachments {
  const terminals = new Map<string, OpenTerminal>()
  /** Input for terminals that aren't open yet. */
  const early = new Map<string, TerminalMessage[]>()
  const closed = createClosedTerminals()
  const conversations = new Map<string, Conversation>()
  /** Agent id per turn terminal. */
  const turns = new Map<string, string>()
  const isFirst = createOnce()
  const isNew = ({ pty, client, client_seq }: TerminalInput) => isFirst(`${pty} ${client}`, client_seq)

  function conversationOf(agentId: string): Conversation {
    const conversation = conversations.get(agentId) ?? createConversation()
    conversations.set(agentId, conversation)
    return conversation
  }

  function receiveInput(message: TerminalMessage): string | undefined {
    const terminal = terminals.get(message.pty)
    if (terminal) terminal.receive(message)
    else if (!receiveEarly(message)) receiveLate(message)
    return turns.get(message.pty)
  }

  function receiveEarly(message: TerminalMessage): boolean {
    const held = early.get(message.pty)
    if (held && held.length < MAX_EARLY) held.push(message)
    return held !== undefined
  }

  /**
   * Adds input that arrived after the end of its turn to the agent's next line. Ignores Ctrl-C, because it was meant
   * for the turn that has ended.
   */
  function receiveLate(message: TerminalMessage): void {
    if (message.type !== "terminal_input") return
    const agentId = turns.get(message.pty)
    if (agentId === undefined) closed.receive(message)
    else if (isNew(message)) {
      const keys = Buffer.from(message.data, "base64")
      conversationOf(agentId).type(keys.filter((byte) => byte !== CTRL_C))
    }
  }

  function add(pty: string, terminal: TerminalHandler): void {
    terminals.set(pty, createOpenTerminal(terminal, { isNew }))
    const held = early.get(pty) ?? []
    early.delete(pty)
    held.forEach(receiveInput)
  }

  function addTurn(agentId: string, pty: string, turn: TurnTerminal): void {
    turns.set(pty, agentId)
    if (turns.size > MAX_TURNS) turns.delete(turns.keys().next().value ?? "")
    const conversation = conversationOf(agentId)
    conversation.openTurn(pty, turn)
    add(pty, { ...turn, type: conversation.type })
  }

  function remove(agentId: string, pty: string): void {
    terminals.delete(pty)
    if (!turns.has(pty)) closed.add(pty, agentId)
    conversationOf(agentId).closeTurn(pty)
  }

  return {
    ofAgent(agentId) {
      return {
        expectTerminal: (pty) => void early.set(pty, []),
        addTerminal: add,
        addTurn: (pty, turn) => addTurn(agentId, pty, turn),
        removeTerminal: (pty) => remove(agentId, pty),
        setAgent: (agent) => conversationOf(agentId).setAgent(agent),
        deliver: (message) => conversationOf(agentId).deliver(message),
        takeUndelivered: () => conversationOf(agentId).takeUndelivered(),
        takeLine: () => conversationOf(agentId).takeLine(),
      }
    },
    receive(message) {
      if ("pty" in message) return receiveInput(message)
      const agentId = message.agent_id ?? MAIN_AGENT
      conversationOf(agentId).receive(message)
      return agentId
    },
    takeLate: closed.takeLate,
  }
}
