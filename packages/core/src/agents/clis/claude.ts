import { claudeNameOf } from "../../models/providers/bedrock.ts"
import type { PermissionMode } from "../permissions/schema.ts"
import { type AgentAccount, type AgentTask, type Cli, type CliCommand, modeOf, SERVERS } from "./cli.ts"
import { TOOL_SERVER, TOOLS_URL_VARIABLE } from "./own-tools.ts"
import { CLI_TITLES } from "./titles.ts"

/** Claude Code, steered by its control protocol. */
export const claude: Cli = {
  title: CLI_TITLES.claude,
  description: "Anthropic's agent, with a key of the Anthropic API.",
  company: "anthropic",
  supportsReasoning: true,
  package: {
    registry: "npm",
    name: "@anthropic-ai/claude-code",
    version: "2.1.332",
    build: "@anthropic-ai/claude-code-{platform}-{arch}",
    program: "claude",
  },
  keyVariables: ["ANTHROPIC_API_KEY"],
  defaultApi: () => "https://api.anthropic.com",
  hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
  modelList: { provider: "anthropic" },
  bedrockModels: (models) => models.filter((model) => claudeNameOf(model) !== undefined),
  login: {
    folder: ".claude",
    variable: "CLAUDE_CONFIG_DIR",
    files: [".credentials.json"],
    command: ["claude", "auth", "login"],
    terms:
      "Warning: Anthropic allows the login of a Claude plan for ordinary, personal use of Claude Code only, and asks other products to use API keys. It may restrict an account that is used otherwise.",
  },
  startFiles: {
    ".claude": "hooks, helpers, plugins, agents, commands and skills",
    ".claude-plugin": "plugins",
    ".mcp.json": SERVERS,
    ".lsp.json": "language servers",
  },
  instructionFiles: ["CLAUDE.md", "CLAUDE.local.md"],
  tools: {
    ...{ Bash: "bash", Read: "read", Write: "write", Glob: "glob", Grep: "grep" },
    ...{ Edit: "edit", MultiEdit: "edit", NotebookEdit: "edit" },
    // Sub-agents ask for permission themselves, so starting one needs none.
    ...{ Agent: null, Task: null, TaskCreate: null, TaskGet: null, TaskList: null, TaskOutput: null, TaskStop: null },
    ...{ TaskUpdate: null, TodoWrite: null, AskUserQuestion: null, EnterPlanMode: null, ExitPlanMode: null },
    ...{ Skill: null, ToolSearch: null, WebFetch: null, WebSearch: null, BashOutput: null, KillShell: null },
  },
  sessionFiles: { folder: ".claude/projects", mark: (session) => session, moves: "by_folder" },
  plan: (task, account, { streamJson }) => ({
    command: command(task, account, [
      ...["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"],
      ...["--permission-mode", MODES[modeOf(task)], "--permission-prompt-tool", "stdio"],
    ]),
    protocol: streamJson(task, {
      inputIncludesCacheRead: false,
      resumedUsageIsTotal: false,
      ...(modeOf(task) !== "bypass" && { askingModes: [MODES[modeOf(task)], "default", "plan"] }),
    }),
  }),
  tui: (task, account) => command(task, account, ["--permission-mode", MODES[modeOf(task)]]),
}

/**
 * Claude Code's mode for each of our modes. In all modes except bypass, Claude Code asks Switchyard for permission. If
 * our mode allows the action, Switchyard answers without asking a person.
 */
const MODES: Record<PermissionMode, string> = {
  ask: "default",
  accept_edits: "default",
  plan: "plan",
  bypass: "bypassPermissions",
}

function command(task: AgentTask, account: AgentAccount, args: string[]): CliCommand {
  const { apiKey } = account
  return {
    file: "claude",
    args: [
      ...args,
      ...settingsArgs(task),
      ...(task.tools ? ["--mcp-config", toolServers()] : []),
      ...(task.model ? ["--model", task.model] : []),
      ...(task.reasoning ? ["--effort", task.reasoning] : []),
      ...(task.resume ? ["--resume", task.resume] : []),
    ],
    env: {
      ...apiVariables(account),
      ...(task.tools && { [TOOLS_URL_VARIABLE]: task.tools.url }),
      CLAUDE_CONFIG_DIR: `${task.home}/.claude`,
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Let Claude Code retry often. The runner ends turns that the API refuses for too long.
      CLAUDE_CODE_MAX_RETRIES: "10",
      API_TIMEOUT_MS: "120000",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      // Without this variable, Claude Code refuses to skip permissions as root. The variable has no effect for other
      // users.
      IS_SANDBOX: "1",
    },
    homeFiles: [{ path: ".claude/.claude.json", content: onboarding(task, apiKey) }],
  }
}

/**
 * Returns the variables for Claude Code's API. With Bedrock, Claude Code doesn't sign its requests: the gateway does, and
 * receives a token. Claude Code's own names for models, such as `haiku`, then stand for the models of the stage.
 */
function apiVariables({ apiKey, baseUrl, bedrock }: AgentAccount): Record<string, string> {
  const [first] = bedrock?.models ?? []
  if (!bedrock || first === undefined) {
    return { ...(apiKey && { ANTHROPIC_API_KEY: apiKey }), ...(baseUrl && { ANTHROPIC_BASE_URL: baseUrl }) }
  }
  const firstOf = (family: string) => bedrock.models.find((model) => model.includes(`-${family}-`)) ?? first
  return {
    CLAUDE_CODE_USE_BEDROCK: "1",
    CLAUDE_CODE_SKIP_BEDROCK_AUTH: "1",
    AWS_REGION: bedrock.region,
    ...(apiKey && { ANTHROPIC_AUTH_TOKEN: apiKey }),
    ...(baseUrl && { ANTHROPIC_BEDROCK_BASE_URL: baseUrl }),
    ANTHROPIC_MODEL: first,
    ANTHROPIC_DEFAULT_OPUS_MODEL: firstOf("opus"),
    ANTHROPIC_DEFAULT_SONNET_MODEL: firstOf("sonnet"),
    ANTHROPIC_DEFAULT_HAIKU_MODEL: firstOf("haiku"),
  }
}

/**
 * Settings that make Claude Code ask before it uses these tools. By default, it reads files without asking, and runs
 * commands that it considers read-only, even if a rule forbids this.
 */
const ASKING = JSON.stringify({ permissions: { ask: ["Bash", "Read", "Grep", "Glob", "WebFetch", "WebSearch"] } })

/**
 * Returns the arguments that select settings. Modes that ask ignore the project's settings, because they could allow an
 * action without a question. They get the project's instructions as those of an additional folder, which has no
 * settings. In bypass mode, the settings of an untrusted project still provide instructions, but can't start programs.
 */
function settingsArgs(task: AgentTask): string[] {
  if (modeOf(task) !== "bypass") {
    const folders = [...new Set([task.root, task.cwd])]
    return ["--add-dir", ...folders, "--setting-sources", "user", "--strict-mcp-config", "--settings", ASKING]
  }
  if (task.isTrusted) return []
  const nothing = JSON.stringify({ disableAllHooks: true })
  return ["--setting-sources", "user,project", "--strict-mcp-config", "--settings", nothing]
}

/** Returns the configuration of MCP servers. Claude Code replaces the variable with its value. */
function toolServers(): string {
  return JSON.stringify({ mcpServers: { [TOOL_SERVER]: { type: "http", url: `\${${TOOLS_URL_VARIABLE}}` } } })
}

/**
 * Returns a configuration that suppresses Claude Code's theme and trust dialogs. It also suppresses a request that
 * Claude Code would send to Anthropic even if another base URL is set.
 */
function onboarding(task: AgentTask, apiKey: string | null): string {
  return JSON.stringify({
    hasCompletedOnboarding: true,
    theme: "dark",
    bypassPermissionsModeAccepted: true,
    ...(apiKey && { customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] } }),
    projects: { [task.cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  })
}
