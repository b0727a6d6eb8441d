import type { ProviderId } from "../../models/providers/providers.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import type { AddedAgent } from "./added-schema.ts"
import type { MockSettings } from "./mock-settings.ts"
import type { AcpDialect, Protocol, StreamJsonDialect } from "./protocol.ts"
import type { ToolKind } from "./schema.ts"

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
  /** Settings of the account's program, if the operator added it. */
  added?: AddedAgent | undefined
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

/** Plan for a command that works in a terminal without a protocol. */
export interface TerminalPlan {
  command: CliCommand
  terminal: {
    /** Text to type into the terminal. Null if the prompt is part of the command. */
    keys: string | null
    /** Time without output after which the turn is over. Null if the turn ends when the command exits. */
    silenceMs: number | null
    /** Texts in the last output that report a limit. */
    limits: string[]
    /** ID of the session that the next turn can resume. Null if it can't. */
    session: string | null
  }
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

/** A built-in program, or a program that the operator added. Less is known about added programs. */
export interface AnyCli extends Omit<Cli, "plan" | "tui" | "sessionFiles"> {
  sessionFiles?: Cli["sessionFiles"]
  /** `refused` is the reason why the program can't do this task. */
  plan(task: AgentTask, account: AgentAccount, protocols: Protocols): LaunchPlan | TerminalPlan | { refused: string }
  tui?: Cli["tui"]
}
