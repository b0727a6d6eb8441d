import type { QuestionContent } from "../questions/schema.ts"
import type { Problem, Todo, ToolKind } from "./schema.ts"

/** Event of an agent, in a vocabulary shared by all CLIs. */
export type AgentEvent =
  | { type: "session"; id: string; model: string | null }
  | ({ type: "text" } & MessagePiece)
  | ({ type: "thinking" } & MessagePiece)
  | ({ type: "tool_started"; id: string; parent?: string } & ToolUse)
  /** End of a tool call. `output` is present only if `summary` is truncated. */
  | { type: "tool_finished"; id: string; ok: boolean; exitCode: number | null; summary: string; output?: string }
  /** The agent's complete to-do list. Sent whenever the list changes. */
  | { type: "todos"; todos: Todo[] }
  /**
   * Usage of the turn so far, not of the whole native session. If `basis` is set, the event contains only the usage
   * since the gateway's last report.
   */
  | { type: "usage"; usage: AgentUsage; costUsd: number | null; basis?: "requests" }
  /**
   * Number of tokens in the conversation after the model's last answer, and the size of the context window. The size is
   * null if it hasn't been reported yet.
   */
  | { type: "context"; usedTokens: number; windowTokens: number | null }
  | { type: "quota"; window: string; usedPercent: number; resetsAt: string | null }
  | { type: "retrying"; problem: Problem }
  /** Permission request. Pass its `id` to `Protocol.encodeDecision` to answer it. */
  | { type: "permission_asked"; id: string; question: QuestionContent }
  | { type: "notice"; text: string }
  | { type: "turn_completed" }
  | { type: "turn_failed"; problem: Problem }

/**
 * Decision on a permission request. `reason` is used by protocols that have a field for it. `instead` tells the agent
 * what the person wants it to do instead.
 */
export type PermissionDecision =
  | { effect: "allow"; answers?: Record<string, string> | undefined }
  | { effect: "deny"; reason?: string; instead?: string | undefined }

/** Part of a message. Parts with the same `message` belong together. */
interface MessagePiece {
  text: string
  message: string
  /** ID of the tool call that started the sub-agent that wrote this part. Absent if the agent itself wrote the part. */
  parent?: string
}

export interface ToolUse {
  tool: ToolKind
  /** The CLI's name for the tool. */
  name: string
  path?: string
  fileBytes?: number
  command?: string
  server?: string
  args?: string
  /** Change to a file, as lines that begin with - or +. */
  diff?: string
}

/** Token counts. A count is null if the provider didn't report it. */
export interface AgentUsage {
  input: number | null
  cache_read: number | null
  cache_write: number | null
  output: number | null
}

export interface Parsed {
  events: AgentEvent[]
  /** Text to write to the CLI's stdin immediately. Often empty. */
  send: string
}

/**
 * Client side of a CLI's structured protocol. It does no I/O, and accepts output in chunks of any size. After
 * `turn_completed` or `turn_failed`, close the CLI's stdin to make it exit.
 */
export interface Protocol {
  /** Returns the text to send to stdin first. */
  open(): string
  parse(bytes: Uint8Array): Parsed
  /** Parses the last line if it doesn't end in a newline. Called after the output has ended. */
  flush(): Parsed
  /** Encodes a person's message for the running turn. Absent if the CLI accepts no messages after the task. */
  encodeMessage?(text: string): string
  /**
   * Encodes the decision on a `permission_asked` event. Returns an empty string if the request is no longer open.
   * Absent if the CLI never asks for permission.
   */
  encodeDecision?(id: string, decision: PermissionDecision): string
  /**
   * Returns the text that interrupts the turn but keeps the session. Returns an empty string if no turn has started.
   */
  interrupt?(): string
}

/** Differences between agents that speak the Agent Client Protocol. */
export interface AcpDialect {
  /** Mode that the agent must be in, by the agent's own name for it. Absent if the agent starts without a mode. */
  mode?: string
  /**
   * Version that `test:clis` tests. Only set for agents that read their permissions from a configuration and don't
   * report their mode. If such an agent must ask for permission, other versions are refused.
   */
  triedVersion?: string
  /** Returns a clearer message for an error of this agent. */
  explain?: (message: string) => string
  /**
   * Set for programs that the operator added. What they report is checked, because none of it has been tested.
   * `alwaysAsks` is true if the operator says that the program has no modes and always asks.
   */
  added?: { alwaysAsks: boolean }
}

/** Differences between CLIs that speak Claude's control protocol. */
export interface StreamJsonDialect {
  /** True if `input_tokens` includes tokens read from the cache. */
  inputIncludesCacheRead: boolean
  /** True if a resumed session only reports its total usage, so that this turn's usage is unknown. */
  resumedUsageIsTotal: boolean
  /**
   * Modes in which the agent asks for permission. If it has to ask, it must be started in the first of these modes.
   * Absent for agents that don't have to ask.
   */
  askingModes?: string[]
}
