import type { Problem, ToolKind } from "./schema.ts"

/** One turn of work for an agent. */
export interface AgentTask {
  prompt: string
  /** The folder that it works in, absolute. */
  cwd: string
  /** The account's own home, absolute; nothing of the user's is in it. */
  home: string
  /** Null: what the CLI chooses. */
  model: string | null
  reasoning: string | null
  /** The CLI's own session to go on with. */
  resume: string | null
}

/** The CLI's way to its model. */
export interface AgentAccount {
  apiKey: string | null
  /** The address of the provider's API, without a path of a version; null for the CLI's own default. */
  baseUrl: string | null
  /** Whether what is there is the very API at which the CLI would look by itself. */
  standsForUsual?: boolean
}

/** A program to start. Paths of `homeFiles` are relative to the home; they hold secrets, so only their owner may read them. */
export interface CliCommand {
  file: string
  args: string[]
  env: Record<string, string>
  homeFiles: { path: string; content: string }[]
}

/** An utterance or action of an agent, whichever CLI it is. */
export type AgentEvent =
  | { type: "session"; id: string; model: string | null }
  | ({ type: "text" } & Spoken)
  | ({ type: "thinking" } & Spoken)
  | ({ type: "tool_started"; id: string } & ToolUse)
  | { type: "tool_finished"; id: string; ok: boolean; exitCode: number | null; summary: string }
  /** Of the turn so far, not of the whole native session. */
  | { type: "usage"; usage: Usage; costUsd: number | null }
  | { type: "quota"; window: string; usedPercent: number; resetsAt: string | null }
  | { type: "retrying"; problem: Problem }
  /** The agent waits for `Dialogue.answer`, with this id. */
  | { type: "permission_asked"; id: string; tool: string; input: Record<string, unknown> }
  | { type: "notice"; text: string }
  | { type: "turn_completed" }
  | { type: "turn_failed"; problem: Problem }

export type PermissionDecision = "allow" | "deny"

/** Pieces with the same `message` belong together; a new one begins a new message. */
interface Spoken {
  text: string
  message: string
}

export interface ToolUse {
  tool: ToolKind
  /** The CLI's own name for it. */
  name: string
  path?: string
  fileBytes?: number
  command?: string
  server?: string
  args?: string
}

/** Null where the provider did not report it. */
export interface Usage {
  input: number | null
  cache_read: number | null
  cache_write: number | null
  output: number | null
}

export interface Heard {
  events: AgentEvent[]
  /** Text for the CLI's standard input now; often none. */
  send: string
}

/**
 * One side of the conversation with a CLI's structured protocol: pure, fed with its output in pieces cut anywhere. Once
 * `turn_completed` or `turn_failed` was heard, closing the CLI's input ends it.
 */
export interface Dialogue {
  /** The first text for standard input. */
  open(): string
  hear(bytes: Uint8Array): Heard
  /** The output has ended: what its last line said, if that had no end. */
  end(): Heard
  /** Encodes a person's message for the running turn. Absent where the CLI takes nothing but its task. */
  say?(text: string): string
  /**
   * Formats the answer to `permission_asked`; empty when no such request is open. Absent where the CLI never asks. Whether
   * to allow is decided by the driver, never here.
   */
  answer?(id: string, decision: PermissionDecision): string
  /** Text that stops the turn and keeps the session; empty when there is no turn to stop yet. */
  interrupt?(): string
}

/** A way to make a CLI do a task: what to start, and how to speak with it. */
export interface Drive {
  command: CliCommand
  dialogue: Dialogue
}

export interface Cli {
  title: string
  /** The package that it is installed from, pinned; null where the product brings it. */
  package: { registry: "npm" | "pypi"; name: string; version: string } | null
  /** Variables of the server's environment that may hold its key, the first that is set counts. */
  keyVariables: string[]
  /** The folder of its home in which it remembers its sessions, and what the paths of one session's files have in them. */
  memory: { folder: string; mark: (session: string) => string }
  /** Its own default for the API of this model, as a base URL; null where that isn't known. */
  usualApi(model: string | null): string | null
  drive(task: AgentTask, account: AgentAccount): Drive
  /** Another way, for when the first doesn't get a word out of the CLI. */
  fallback?(task: AgentTask, account: AgentAccount): Drive
  /** Its own screen, for a person who takes over; goes on with the session of `task.resume`. */
  tui(task: AgentTask, account: AgentAccount): CliCommand
}
