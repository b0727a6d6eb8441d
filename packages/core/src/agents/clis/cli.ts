import type { ProviderId } from "../../models/providers/providers.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import type { QuestionContent } from "../questions/schema.ts"
import type { MockSettings } from "./mock-settings.ts"
import type { Problem, Todo, ToolKind } from "./schema.ts"

/** Absolute paths of an agent's folders. */
export interface AgentFolders {
  /** Project folder. Paths in events are relative to it. */
  root: string
  /** Working directory: `root` or a folder inside it. */
  cwd: string
}

/** One turn of work for an agent. */
export interface AgentTask extends AgentFolders {
  prompt: string
  /** Absolute path of the account's home folder, which contains none of the user's files. */
  home: string
  /** Null for the CLI's default. */
  model: string | null
  reasoning: string | null
  /** ID of the CLI session to resume. */
  resume: string | null
  /** Mode that decides which actions need permission. If absent, none do. */
  mode?: PermissionMode
  /** True if the CLI may start programs named in the project's files. */
  isTrusted?: boolean
  /** MCP server through which the agent reaches other agents; absent if the agent has no such tools. */
  tools?: AgentTools
}

/**
 * Address of the MCP server with an agent's own tools, and the token that identifies the agent. The token is passed in
 * the environment, because other users can read the process list, and all agents of an account share a home.
 */
export interface AgentTools {
  /** URL with the token in its path. */
  url: string
  /** URL for requests with the token as a bearer token. */
  bareUrl: string
  token: string
}

/** Returns a task's permission mode. Tasks without a mode run in bypass. */
export function modeOf({ mode }: Pick<AgentTask, "mode">): PermissionMode {
  return mode ?? "bypass"
}

/** A CLI's access to its model. */
export interface AgentAccount {
  apiKey: string | null
  /** Base URL of the provider's API, without a version path; null for the CLI's default. */
  baseUrl: string | null
  /** True if `baseUrl` serves the same API as the CLI's default URL. */
  isDefaultApi?: boolean
  /** Limits simulated by a mock agent. */
  mock?: MockSettings | undefined
}

/**
 * Program to start. The paths of `homeFiles` are relative to the home folder. Only their owner may read these files,
 * because they contain secrets.
 */
export interface CliCommand {
  file: string
  args: string[]
  env: Record<string, string>
  homeFiles: { path: string; content: string }[]
}

/** Event of an agent, in a vocabulary shared by all CLIs. */
export type AgentEvent =
  | { type: "session"; id: string; model: string | null }
  | ({ type: "text" } & MessagePiece)
  | ({ type: "thinking" } & MessagePiece)
  | ({ type: "tool_started"; id: string; parent?: string } & ToolUse)
  /** `output` is present only if `summary` is truncated. */
  | { type: "tool_finished"; id: string; ok: boolean; exitCode: number | null; summary: string; output?: string }
  /** The agent's complete to-do list, not only the changes to it. */
  | { type: "todos"; todos: Todo[] }
  /**
   * Usage of the turn so far, not of the whole native session. If `basis` is set, only the usage since the gateway's
   * last report.
   */
  | { type: "usage"; usage: AgentUsage; costUsd: number | null; basis?: "requests" }
  /**
   * Tokens of the conversation after the model's last answer, and the size of the context window. Null if not reported
   * yet.
   */
  | { type: "context"; usedTokens: number; windowTokens: number | null }
  | { type: "quota"; window: string; usedPercent: number; resetsAt: string | null }
  | { type: "retrying"; problem: Problem }
  /** Permission request. To answer it, pass this `id` to `Protocol.encodeDecision`. */
  | { type: "permission_asked"; id: string; question: QuestionContent }
  | { type: "notice"; text: string }
  | { type: "turn_completed" }
  | { type: "turn_failed"; problem: Problem }

/**
 * Decision on a request. `reason` is for protocols that have a field for it. `instead` is what the person wants the
 * agent to do instead.
 */
export type PermissionDecision =
  | { effect: "allow"; answers?: Record<string, string> | undefined }
  | { effect: "deny"; reason?: string; instead?: string | undefined }

/** Part of a message. Parts with the same `message` belong together. */
interface MessagePiece {
  text: string
  message: string
  /** Tool call that started the sub-agent that wrote this part. Absent if the agent itself wrote it. */
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
  /** Change to a file, as lines that start with - or +. */
  diff?: string
}

/** Token counts; null if the provider didn't report them. */
export interface AgentUsage {
  input: number | null
  cache_read: number | null
  cache_write: number | null
  output: number | null
}

export interface Parsed {
  events: AgentEvent[]
  /** Text to write to the CLI's stdin now. Often empty. */
  send: string
}

/**
 * Client side of a CLI's structured protocol. It does no I/O, and accepts output in chunks of any size. After
 * `turn_completed` or `turn_failed`, the CLI exits if its stdin is closed.
 */
export interface Protocol {
  /** Returns the first text for stdin. */
  open(): string
  parse(bytes: Uint8Array): Parsed
  /** Parses a last line that doesn't end in a newline, after the output has ended. */
  flush(): Parsed
  /** Encodes a person's message for the running turn. Absent if the CLI accepts no messages after its task. */
  encodeMessage?(text: string): string
  /**
   * Encodes the driver's decision on a `permission_asked` event. Empty if the request is no longer open. Absent if the
   * CLI never asks.
   */
  encodeDecision?(id: string, decision: PermissionDecision): string
  /** Returns the text that interrupts the turn but keeps the session. Empty if no turn has started. */
  interrupt?(): string
}

/** Differences between agents that speak the Agent Client Protocol. */
export interface AcpDialect {
  /** Mode that the agent must be in, under the agent's own name for it. Absent if the agent starts without a mode. */
  mode?: string
  /**
   * Version that `test:clis` tests. Only for agents that get their permissions from a configuration and don't report
   * their mode: if such an agent must ask, other versions are refused.
   */
  triedVersion?: string
  /** Returns a clearer message for one of this agent's errors. */
  explain?: (message: string) => string
}

/** Differences between CLIs that speak Claude's control protocol. */
export interface StreamJsonDialect {
  /** True if `input_tokens` includes tokens read from the cache. */
  inputIncludesCacheRead: boolean
  /** True if a resumed session reports its total usage, which leaves this turn's usage unknown. */
  resumedUsageIsTotal: boolean
  /**
   * Modes in which the agent asks for permission. The agent must be started in the first of them. Absent for agents
   * that don't have to ask.
   */
  askingModes?: string[]
}

/** Protocols that agents speak. They're passed to `plan`, so that only runners load the parsers. */
export interface Protocols {
  acp(task: AgentTask, dialect: AcpDialect): Protocol
  appServer(task: AgentTask): Protocol
  codexExec(task: AgentTask): Protocol
  streamJson(task: AgentTask, dialect: StreamJsonDialect): Protocol
}

/** Plan for running a task in a CLI: the command, and the protocol for communicating with it. */
export interface LaunchPlan {
  command: CliCommand
  protocol: Protocol
}

/** Package of a program. `{platform}` and `{arch}` in its names and paths are replaced by Node's values. */
export type CliPackage = NpmPackage | { registry: "pypi"; name: string; version: string }

/** npm package with the paths of its files, so that no install script has to run. */
export interface NpmPackage {
  registry: "npm"
  name: string
  version: string
  /** Platform-specific package to install instead of `name`. */
  build?: string
  /**
   * Packages that an install script would fetch or link. They're installed explicitly, because npm skips optional
   * packages that it can't fetch.
   */
  needs?: string[]
  /** Path of the executable, which runs under the agent's name. */
  program: string
  /** Files that should be executable, but aren't in the package. */
  forgotten?: string[]
}

/** Ways for accounts to use a CLI's own login. */
export interface CliLogin {
  /** Folder of the login files in the CLI's home, and the environment variable that sets it (null if there is none). */
  folder: string
  variable: string | null
  /** Names of the login files in `folder`. Every login includes the first one. */
  files: [string, ...string[]]
  /** Command that logs in from a terminal; null if login is only possible inside the CLI's UI. */
  command: string[] | null
  /** Login command for a machine on which the user has no browser, if it differs from `command`. */
  elsewhere?: string[]
  /** The vendor's terms in one sentence, which people see before they consent. */
  terms: string
}

/**
 * Project files that start other programs, with a description of those programs. The name of a folder stands for
 * everything in it. `*` matches part of a name.
 */
export type StartFiles = { readonly [name: string]: string }

/** Descriptions shared by several agents. */
export const SKILLS = "skills, which can include commands and servers"
export const SERVERS = "MCP servers"
export const VARIABLES = "variables, which can name programs to start"

/**
 * Everything that Switchyard knows about an agent's program. `clis.ts` lists the programs; everything else is derived.
 */
export interface Cli {
  title: string
  /** One-sentence description for people who are adding an account. */
  description: string
  /**
   * Company that makes the agent. Requests may name the agent by its company. A model provider with that name accepts
   * the account's key.
   */
  company?: string
  supportsReasoning?: boolean
  /** Pinned package to install; null if the CLI is part of the product. */
  package: CliPackage | null
  /**
   * Server environment variables for the agent's key. The first one that is set is used. Empty if the agent needs no
   * key.
   */
  keyVariables: string[]
  /** Returns the base URL of the CLI's default API for this model; null if unknown. */
  defaultApi(model: string | null): string | null
  /** Hosts that the agent contacts when it runs with its own login or key. */
  hosts: string[]
  /** API that lists the agent's models; absent if there is none. */
  modelList?: { provider: ProviderId; baseUrl?: string }
  /** Login for the agent's accounts, or the reason why they can't have one. */
  login: CliLogin | { refused: string }
  /** Project files that make the agent start programs, even if the model doesn't ask for it. */
  startFiles: StartFiles
  /** Instruction files that the agent reads. They don't start programs. Agents only rewrite them if asked to. */
  instructionFiles: string[]
  /** Files that the agent leaves in a repository's git folder for its own use. */
  gitFolderMarks?: string[]
  /** Tool kinds by the CLI's tool names; null for tools that neither change files nor run commands. */
  tools: { [name: string]: ToolKind | null }
  /**
   * Folder of the session files, in the CLI's home. `mark` returns a string that the paths of one session's files
   * contain.
   */
  sessionFiles: {
    folder: string
    mark: (session: string) => string
    /** Way to find a session that was moved from another home or folder; absent if sessions can't be moved. */
    moves?: "by_folder" | "by_content"
    /**
     * Returns the file name under which a session can be resumed at any time. Undefined for other files. Absent if the
     * program never overwrites its own session files.
     */
    settledName?: (name: string) => string | undefined
  }
  plan(task: AgentTask, account: AgentAccount, protocols: Protocols): LaunchPlan
  /** Returns the plan to use if the CLI prints nothing when it runs the first plan. */
  fallback?(task: AgentTask, account: AgentAccount, protocols: Protocols): LaunchPlan
  /** Returns the command that starts the CLI's interactive UI, for a person taking over. Resumes `task.resume`. */
  tui(task: AgentTask, account: AgentAccount): CliCommand
}
