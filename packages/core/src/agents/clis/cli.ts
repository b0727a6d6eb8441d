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
  /** Name of the model. Null for the CLI's default. */
  model: string | null
  reasoning: string | null
  /** ID of the CLI session to resume. */
  resume: string | null
  /** Mode that decides which actions need permission. If absent, no action needs permission. */
  mode?: PermissionMode
  /** True if the CLI may start programs named in the project's files. */
  isTrusted?: boolean
  /** MCP server through which the agent reaches other agents. Absent if the agent has no such tools. */
  tools?: AgentTools
}

/**
 * Address of the MCP server with the tools that we give an agent, and the token that identifies the agent. The token is
 * passed in the environment. It can't be passed in the arguments, because other users can read the process list, nor in
 * a file in the home, because all agents of an account share it.
 */
export interface AgentTools {
  /** URL with the token in its path. */
  url: string
  /** URL without the token. Requests to it send the token as a bearer token. */
  bareUrl: string
  token: string
}

/** Returns a task's permission mode. Tasks without a mode run in bypass mode. */
export function modeOf({ mode }: Pick<AgentTask, "mode">): PermissionMode {
  return mode ?? "bypass"
}

/** A CLI's access to its model. */
export interface AgentAccount {
  apiKey: string | null
  /** Base URL of the provider's API, without a version path. Null for the CLI's default. */
  baseUrl: string | null
  /** True if `baseUrl` serves the same API as the CLI's default URL. */
  isDefaultApi?: boolean
  /** Models of Amazon Bedrock to use instead of the company's own API, the default first. */
  bedrock?: { models: string[]; region: string } | undefined
  /** Limits simulated by a mock agent. */
  mock?: MockSettings | undefined
}

/**
 * Program to start. The paths of `homeFiles` are relative to the home folder. Only the owner of these files may read
 * them, because they contain secrets.
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

/** Parsers for the protocols that agents speak. They are passed to `plan`, so that only runners load them. */
export interface Protocols {
  acp(task: AgentTask, dialect: AcpDialect): Protocol
  appServer(task: AgentTask): Protocol
  codexExec(task: AgentTask): Protocol
  streamJson(task: AgentTask, dialect: StreamJsonDialect): Protocol
}

/** Plan for running a task in a CLI: the command to start, and the protocol to communicate with it. */
export interface LaunchPlan {
  command: CliCommand
  protocol: Protocol
}

/** Package of a program. `{platform}` and `{arch}` in its names and paths are replaced by Node's values. */
export type CliPackage = NpmPackage | { registry: "pypi"; name: string; version: string }

/** npm package, with the paths of its files. They are listed so that no install script has to run. */
export interface NpmPackage {
  registry: "npm"
  name: string
  version: string
  /** Package to install instead of `name`, specific to a platform. */
  build?: string
  /**
   * Packages that an install script would otherwise fetch or link. They're installed explicitly, because npm skips
   * optional packages that it can't fetch.
   */
  needs?: string[]
  /** Path of the executable. It runs under the agent's name. */
  program: string
  /** Files that must be made executable, because the package doesn't mark them as executable. */
  forgotten?: string[]
}

/** The program's own login, as an alternative to a key for its accounts. */
export interface CliLogin {
  /**
   * Folder of the login files in the CLI's home, and the environment variable that sets the folder. The variable is
   * null if there is none.
   */
  folder: string
  variable: string | null
  /** Names of the login files in `folder`. A login always includes the first file. */
  files: [string, ...string[]]
  /** Command that logs in from a terminal. Null if login is only possible inside the CLI's UI. */
  command: string[] | null
  /** Login command for machines without the user's browser. Only set if it differs from `command`. */
  elsewhere?: string[]
  /** The vendor's terms in one sentence. People see it before they consent. */
  terms: string
}

/**
 * Project files that make an agent start other programs, with a description of those programs. The name of a folder
 * stands for everything in the folder. `*` matches part of a name.
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
   * Company that makes the agent. A request may give the company's name instead of the agent's. If a model provider has
   * the same name, it accepts the account's key.
   */
  company?: string
  supportsReasoning?: boolean
  /** Package to install, with a pinned version. Null if the CLI is part of the product. */
  package: CliPackage | null
  /**
   * Environment variables of the server that can contain the agent's key. The first variable that is set is used. Empty
   * if the agent needs no key.
   */
  keyVariables: string[]
  /** Returns the base URL of the CLI's default API for this model. Null if it is unknown. */
  defaultApi(model: string | null): string | null
  /** Hosts that the agent contacts when it uses its own login or key. */
  hosts: string[]
  /** Returns the models of Amazon Bedrock that the agent can use. Absent if it can't use Bedrock. */
  bedrockModels?(models: readonly string[]): string[]
  /** API that lists the agent's models. Absent if there is none. */
  modelList?: { provider: ProviderId; baseUrl?: string }
  /** The agent's own login for its accounts, or the reason why accounts can't have such a login. */
  login: CliLogin | { refused: string }
  /** Project files that make the agent start programs even without a request from the model. */
  startFiles: StartFiles
  /** Instruction files that the agent reads. They don't start programs. Agents only change them if asked to. */
  instructionFiles: string[]
  /** Files that the agent stores in a repository's git folder for its own use. */
  gitFolderMarks?: string[]
  /** Kinds of tools, by the CLI's tool names. Null for tools that neither change files nor run commands. */
  tools: { [name: string]: ToolKind | null }
  /**
   * Folder of the session files in the CLI's home. `mark` returns a string that is part of the path of each file of a
   * session.
   */
  sessionFiles: {
    folder: string
    mark: (session: string) => string
    /** Search method for a session that was moved from another home or folder. Absent if sessions can't be moved. */
    moves?: "by_folder" | "by_content"
    /**
     * Returns a new name for a session file, so that the session can be resumed at any time. Returns undefined for all
     * other files. Absent if the program never overwrites its own session files.
     */
    settledName?: (name: string) => string | undefined
  }
  plan(task: AgentTask, account: AgentAccount, protocols: Protocols): LaunchPlan
  /** Returns the plan to use if the CLI prints nothing when it runs the first plan. */
  fallback?(task: AgentTask, account: AgentAccount, protocols: Protocols): LaunchPlan
  /**
   * Returns the command that starts the CLI's interactive UI when a person takes over. It resumes the session in
   * `task.resume`.
   */
  tui(task: AgentTask, account: AgentAccount): CliCommand
}
