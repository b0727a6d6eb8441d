import type { PermissionMode } from "../permissions/schema.ts"
import type { QuestionContent } from "../questions/schema.ts"
import type { MockSettings } from "./mock-settings.ts"
import type { Problem, Todo, ToolKind } from "./schema.ts"

/** The folders of an agent, absolute. */
export interface AgentFolders {
  /** The folder of its project, to which the paths of its events are relative. */
  root: string
  /** The folder in which it starts: that, or one in it. */
  cwd: string
}

/** One turn of work for an agent. */
export interface AgentTask extends AgentFolders {
  prompt: string
  /** The account's own home, absolute; nothing of the user's is in it. */
  home: string
  /** Null for the CLI's default. */
  model: string | null
  reasoning: string | null
  /** The id of the CLI's own session to resume. */
  resume: string | null
  /** Its permissions without asking; absent for all. */
  mode?: PermissionMode
  /** Whether the program may start what the project's files name. */
  isTrusted?: boolean
  /** The MCP server with the tools by which it reaches other agents; absent where it has none. */
  tools?: AgentTools
}

/**
 * The address of an agent's own tools. Who knows the token is taken for that agent, so it is passed in the environment: others
 * may read the list of processes, and homes are shared by the agents of one account.
 */
export interface AgentTools {
  /** With the token in its path. */
  url: string
  /** Takes the token as a bearer's. */
  bareUrl: string
  token: string
}

/** The name of that server, with which the CLIs' own names of its tools begin. */
export const TOOL_SERVER = "switchyard"
export const TOOLS_URL_VARIABLE = "SWITCHYARD_TOOLS_URL"
export const TOOLS_TOKEN_VARIABLE = "SWITCHYARD_TOOLS_TOKEN"

/** The mode of a task. One that names none asks for nothing. */
export function modeOf({ mode }: Pick<AgentTask, "mode">): PermissionMode {
  return mode ?? "bypass"
}

/** The CLI's way to its model. */
export interface AgentAccount {
  apiKey: string | null
  /** The address of the provider's API, without a path of a version; null for the CLI's own default. */
  baseUrl: string | null
  /** Whether `baseUrl` serves the same API as the CLI's own default. */
  isDefaultApi?: boolean
  /** The limits that a mock agent simulates. */
  mock?: MockSettings | undefined
}

/** A program to start. Paths of `homeFiles` are relative to the home; they hold secrets, so only their owner may read them. */
export interface CliCommand {
  file: string
  args: string[]
  env: Record<string, string>
  homeFiles: { path: string; content: string }[]
}

/** An event of an agent, in the one vocabulary of all CLIs. */
export type AgentEvent =
  | { type: "session"; id: string; model: string | null }
  | ({ type: "text" } & MessagePiece)
  | ({ type: "thinking" } & MessagePiece)
  | ({ type: "tool_started"; id: string; parent?: string } & ToolUse)
  /** `output` is there where `summary` has only its beginning. */
  | { type: "tool_finished"; id: string; ok: boolean; exitCode: number | null; summary: string; output?: string }
  /** The whole list as it is now. */
  | { type: "todos"; todos: Todo[] }
  /** Of the turn so far, not of the whole native session; by a gateway, of the requests since it last reported. */
  | { type: "usage"; usage: AgentUsage; costUsd: number | null; basis?: "requests" }
  /** The tokens of the conversation after the model's last answer, and the room that it has; null where that isn't told yet. */
  | { type: "context"; usedTokens: number; windowTokens: number | null }
  | { type: "quota"; window: string; usedPercent: number; resetsAt: string | null }
  | { type: "retrying"; problem: Problem }
  /** The agent waits for `Protocol.encodeDecision`, with this id. */
  | { type: "permission_asked"; id: string; question: QuestionContent }
  | { type: "notice"; text: string }
  | { type: "turn_completed" }
  | { type: "turn_failed"; problem: Problem }

/**
 * The decision on a request. `reason` is told to the agent where its protocol has a place for it; `instead` is a person's
 * instruction, and told in any case.
 */
export type PermissionDecision =
  | { effect: "allow"; answers?: Record<string, string> | undefined }
  | { effect: "deny"; reason?: string; instead?: string | undefined }

/** Pieces with the same `message` belong together; a new one begins a new message. */
interface MessagePiece {
  text: string
  message: string
  /** The tool call of the sub-agent that says it; absent for the agent itself. */
  parent?: string
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
  /** The change to a file: lines that begin with - and +. */
  diff?: string
}

/** Null where the provider did not report it. */
export interface AgentUsage {
  input: number | null
  cache_read: number | null
  cache_write: number | null
  output: number | null
}

export interface Parsed {
  events: AgentEvent[]
  /** Text for the CLI's standard input now; often none. */
  send: string
}

/**
 * The client's side of a CLI's structured protocol: pure, fed with its output in chunks of any size. Once `turn_completed`
 * or `turn_failed` was parsed, closing the CLI's input ends it.
 */
export interface Protocol {
  /** The first text for standard input. */
  open(): string
  parse(bytes: Uint8Array): Parsed
  /** Parses the rest of the output at its end: a last line without a newline. */
  flush(): Parsed
  /** Encodes a person's message for the running turn. Absent where the CLI accepts only its task. */
  encodeMessage?(text: string): string
  /**
   * Encodes the decision on a `permission_asked`; empty when no such request is open. Absent where the CLI never asks. The
   * decision is the driver's.
   */
  encodeDecision?(id: string, decision: PermissionDecision): string
  /** Text that interrupts the turn and keeps the session; empty when there is no turn yet. */
  interrupt?(): string
}

/** The plan for running a task in a CLI: the command, and the protocol to speak with it. */
export interface LaunchPlan {
  command: CliCommand
  protocol: Protocol
}

export interface Cli {
  title: string
  /** The package from which it is installed, pinned; null where it is part of the product. */
  package: { registry: "npm" | "pypi"; name: string; version: string } | null
  /** The folder of its home with the files of its sessions, and the text that the paths of one session's files contain. */
  sessionFiles: {
    folder: string
    mark: (session: string) => string
    /** Finds a session that began in another home and folder; absent where sessions can't go on elsewhere. */
    moves?: "by_folder" | "by_content"
  }
  plan(task: AgentTask, account: AgentAccount): LaunchPlan
  /** Another plan, for when the first gets no output from the CLI. */
  fallback?(task: AgentTask, account: AgentAccount): LaunchPlan
  /** Its own screen, for a person who takes over; resumes the session of `task.resume`. */
  tui(task: AgentTask, account: AgentAccount): CliCommand
}
