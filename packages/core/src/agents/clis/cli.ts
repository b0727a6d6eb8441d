import type { ProviderId } from "../../models/providers/providers.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import type { QuestionContent } from "../questions/schema.ts"
import type { MockSettings } from "./mock-settings.ts"
import type { Problem, Todo, ToolKind } from "./schema.ts"

/** Absolute paths of an agent's folders. */
export interface AgentFolders {
  /** Folder of its project. Paths in its events are relative to it. */
  root: string
  /** Starting folder: `root`, or a folder inside. */
  cwd: string
}

/** One turn of work for an agent. */
export interface AgentTask extends AgentFolders {
  prompt: string
  /** Absolute path of the account's own home, which contains nothing of the user's. */
  home: string
  /** Null for the CLI's default. */
  model: string | null
  reasoning: string | null
  /** Id of the CLI's own session to resume. */
  resume: string | null
  /** Permissions without asking; absent for all. */
  mode?: PermissionMode
  /** True if the program may start programs that the project's files name. */
  isTrusted?: boolean
  /** MCP server with the agent's tools to reach other agents, if it has any. */
  tools?: AgentTools
}

/**
 * Address of an agent's own tools. The token identifies the agent, so it is passed in the environment: other users may
 * read the process list, and all agents of an account share a home.
 */
export interface AgentTools {
  /** URL with the token in its path. */
  url: string
  /** URL that accepts the token as a bearer token. */
  bareUrl: string
  token: string
}

/** Returns the mode of a task. A task without a mode asks for nothing. */
export function modeOf({ mode }: Pick<AgentTask, "mode">): PermissionMode {
  return mode ?? "bypass"
}

/** Access of a CLI to its model. */
export interface AgentAccount {
  apiKey: string | null
  /** URL of the provider's API, without a version path; null for the CLI's own default. */
  baseUrl: string | null
  /** True if `baseUrl` serves the same API as the CLI's own default. */
  isDefaultApi?: boolean
  /** Limits that a mock agent simulates. */
  mock?: MockSettings | undefined
}

/** Program to start. `homeFiles` are relative to the home. They contain secrets, so only their owner may read them. */
export interface CliCommand {
  file: string
  args: string[]
  env: Record<string, string>
  homeFiles: { path: string; content: string }[]
}

/** Event of an agent, in one vocabulary for all CLIs. */
export type AgentEvent =
  | { type: "session"; id: string; model: string | null }
  | ({ type: "text" } & MessagePiece)
  | ({ type: "thinking" } & MessagePiece)
  | ({ type: "tool_started"; id: string; parent?: string } & ToolUse)
  /** `output` is present if `summary` contains only its beginning. */
  | { type: "tool_finished"; id: string; ok: boolean; exitCode: number | null; summary: string; output?: string }
  /** Whole list as it is now. */
  | { type: "todos"; todos: Todo[] }
  /** Usage of the turn so far, not of the whole native session. From a gateway: of requests since its last report. */
  | { type: "usage"; usage: AgentUsage; costUsd: number | null; basis?: "requests" }
  /** Tokens of the conversation after the model's last answer, and the size of its window; null if not reported yet. */
  | { type: "context"; usedTokens: number; windowTokens: number | null }
  | { type: "quota"; window: string; usedPercent: number; resetsAt: string | null }
  | { type: "retrying"; problem: Problem }
  /** Request that waits for `Protocol.encodeDecision` with this id. */
  | { type: "permission_asked"; id: string; question: QuestionContent }
  | { type: "notice"; text: string }
  | { type: "turn_completed" }
  | { type: "turn_failed"; problem: Problem }

/** Decision on a request. `reason` is for protocols with a field for it. `instead` is a person's instruction. */
export type PermissionDecision =
  | { effect: "allow"; answers?: Record<string, string> | undefined }
  | { effect: "deny"; reason?: string; instead?: string | undefined }

/** Piece of a message. Pieces with the same `message` belong together. */
interface MessagePiece {
  text: string
  message: string
  /** Tool call of the sub-agent that wrote it; absent for the agent itself. */
  parent?: string
}

export interface ToolUse {
  tool: ToolKind
  /** The CLI's own name for the tool. */
  name: string
  path?: string
  fileBytes?: number
  command?: string
  server?: string
  args?: string
  /** Change to a file: lines that begin with - and +. */
  diff?: string
}

/** Token counts; null if the provider did not report them. */
export interface AgentUsage {
  input: number | null
  cache_read: number | null
  cache_write: number | null
  output: number | null
}

export interface Parsed {
  events: AgentEvent[]
  /** Text to send to the CLI's standard input now; often empty. */
  send: string
}

/**
 * Client's side of a CLI's structured protocol. Pure: it receives output in chunks of any size. After `turn_completed`
 * or `turn_failed`, closing the CLI's input ends the CLI.
 */
export interface Protocol {
  /** Returns the first text for standard input. */
  open(): string
  parse(bytes: Uint8Array): Parsed
  /** Parses the rest of the output at its end: a last line without a newline. */
  flush(): Parsed
  /** Encodes a person's message for the running turn. Absent if the CLI accepts only its task. */
  encodeMessage?(text: string): string
  /** Encodes the driver's decision on a `permission_asked`; empty if that isn't open. Absent if the CLI never asks. */
  encodeDecision?(id: string, decision: PermissionDecision): string
  /** Returns text that interrupts the turn and keeps the session; empty if there is no turn yet. */
  interrupt?(): string
}

/** Differences between agents that speak the Agent Client Protocol. */
export interface AcpDialect {
  /** Agent's own name of the mode that it must be in; absent if it starts in no mode. */
  mode?: string
  /** Version that `test:clis` tried, for an agent whose permissions are configured and which doesn't report them. */
  triedVersion?: string
  /** Returns a clearer message for an error of this agent. */
  explain?: (message: string) => string
}

/** Differences between CLIs that speak Claude's control protocol. */
export interface StreamJsonDialect {
  /** True if `input_tokens` includes tokens read from the cache. */
  inputIncludesCacheRead: boolean
  /** True if a resumed session reports its total usage, so that this turn's is unknown. */
  resumedUsageIsTotal: boolean
  /** Modes that ask, the required start mode first. Absent for an agent that need not ask. */
  askingModes?: string[]
}

/** Protocols that agents speak. Passed to their plans, because only runners load the parsers. */
export interface Protocols {
  acp(task: AgentTask, dialect: AcpDialect): Protocol
  appServer(task: AgentTask): Protocol
  codexExec(task: AgentTask): Protocol
  streamJson(task: AgentTask, dialect: StreamJsonDialect): Protocol
}

/** Plan for a task in a CLI: the command, and the protocol to speak with it. */
export interface LaunchPlan {
  command: CliCommand
  protocol: Protocol
}

/** Package of a program. `{platform}` and `{arch}` in its names and paths are replaced by Node's values. */
export type CliPackage = NpmPackage | { registry: "pypi"; name: string; version: string }

/** npm package with the paths of its files, which makes install scripts unnecessary. */
export interface NpmPackage {
  registry: "npm"
  name: string
  version: string
  /** Name of the package for one machine, which is installed instead. */
  build?: string
  /** Packages that a script would fetch or link. npm omits an optional one that it can't fetch. */
  needs?: string[]
  /** Path of the executable, which is named like the agent. */
  program: string
  /** Files that the package should have made executable. */
  forgotten?: string[]
}

/** Log-in that a CLI makes by itself, as far as an account can use it. */
export interface CliLogin {
  /** Folder in the CLI's home with the files, and the environment variable for it, if any. */
  folder: string
  variable: string | null
  /** File names in that folder. Every log-in has the first. */
  files: [string, ...string[]]
  /** Starts the log-in in a terminal; null if only the CLI's own screen can. */
  command: string[] | null
  /** Command for a machine without the user's browser, if it differs. */
  elsewhere?: string[]
  /** Vendor's terms in one sentence, shown before consent. */
  terms: string
}

/**
 * Files of a project that start other programs, with a description of those. A name may be a folder, with everything in
 * it. `*` matches a part of the name.
 */
export type StartFiles = { readonly [name: string]: string }

/** Descriptions that several agents share. */
export const SKILLS = "skills, which can bring commands and servers along"
export const SERVERS = "MCP servers"
export const VARIABLES = "variables, which can name programs to start"

/** Everything that the product knows about an agent's program. `clis.ts` lists them, and the rest is derived. */
export interface Cli {
  title: string
  /** Sentence for people who add an account. */
  description: string
  /** Company, whose name requests may use for the agent. A model provider of this name accepts the account's key. */
  company?: string
  supportsReasoning?: boolean
  /** Pinned package to install; null if the CLI is part of the product. */
  package: CliPackage | null
  /** Variables of the server's environment with its key. The first that is set counts. Empty if it needs no key. */
  keyVariables: string[]
  /** Returns the base URL of its own default API for this model; null if unknown. */
  defaultApi(model: string | null): string | null
  /** Hosts that it contacts with a log-in or a key of its own. */
  hosts: string[]
  /** API that lists its models, if there is one. */
  modelList?: { provider: ProviderId; baseUrl?: string }
  /** Log-in of its accounts, or why there can be none. */
  login: CliLogin | { refused: string }
  /** Files of a project that make it start programs, regardless of the model. */
  startFiles: StartFiles
  /** Instruction files that it reads. They start nothing, and agents don't rewrite them unasked. */
  instructionFiles: string[]
  /** Files that it leaves in a repository's git folder for itself. */
  gitFolderMarks?: string[]
  /** Kinds of its tools by its own names; null for a tool that changes no files and runs no commands. */
  tools: { [name: string]: ToolKind | null }
  /** Folder in the CLI's home with its sessions' files, and a text that the paths of one session's files contain. */
  sessionFiles: {
    folder: string
    mark: (session: string) => string
    /** Finds a session of another home and folder; absent if sessions can't continue elsewhere. */
    moves?: "by_folder" | "by_content"
  }
  plan(task: AgentTask, account: AgentAccount, protocols: Protocols): LaunchPlan
  /** Returns another plan, used if the first gets no output from the CLI. */
  fallback?(task: AgentTask, account: AgentAccount, protocols: Protocols): LaunchPlan
  /** Returns the command of its own screen, for a person who takes over. Resumes `task.resume`. */
  tui(task: AgentTask, account: AgentAccount): CliCommand
}
