import { type AgentAccount, type AgentTask, type Cli, type CliCommand, modeOf, SKILLS } from "./cli.ts"
import { TOOL_SERVER, TOOLS_TOKEN_VARIABLE } from "./own-tools.ts"
import { CLI_TITLES } from "./titles.ts"

const BYPASS = "--dangerously-bypass-approvals-and-sandbox"

/** Codex through its app-server, or `codex exec --json` if the app-server doesn't answer. */
export const codex: Cli = {
  title: CLI_TITLES.codex,
  description: "OpenAI's agent, with a key of the OpenAI API.",
  company: "openai",
  supportsReasoning: true,
  package: {
    registry: "npm",
    name: "@openai/codex",
    version: "0.171.0",
    needs: ["@openai/codex-{platform}-{arch}"],
    program: "bin/codex.js",
  },
  keyVariables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  defaultApi: () => "https://api.openai.com",
  hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
  modelList: { provider: "openai" },
  login: {
    folder: ".codex",
    variable: "CODEX_HOME",
    files: ["auth.json"],
    command: ["codex", "login"],
    elsewhere: ["codex", "login", "--device-auth"],
    terms:
      "OpenAI's login with a ChatGPT plan is for you alone, and OpenAI recommends API keys for automation. Read its terms before you continue.",
  },
  startFiles: { ".codex": "MCP servers, hooks, notifiers and rules", ".agents": SKILLS },
  instructionFiles: ["AGENTS.md", "AGENTS.override.md"],
  tools: {
    ...{ shell: "bash", exec_command: "bash", command_execution: "bash", commandExecution: "bash", exec: "bash" },
    ...{ apply_patch: "edit", file_change: "edit", fileChange: "edit", mcp_tool_call: "mcp", mcpToolCall: "mcp" },
    webSearch: null,
  },
  sessionFiles: { folder: ".codex/sessions", mark: (session) => session, moves: "by_content" },
  plan: (task, account, { appServer }) => ({
    command: command(task, account, ["app-server"]),
    protocol: appServer(task),
  }),
  fallback: (task, account, { codexExec }) => ({
    command: command(task, account, [
      ...["exec", "--json", BYPASS, "--skip-git-repo-check", ...modelArgs(task)],
      ...(task.resume ? ["resume", task.resume] : []),
      "-",
    ]),
    protocol: codexExec(task),
  }),
  tui: (task, account) =>
    command(task, account, [
      // Without this option, Codex starts a daemon that outlives every process that knows about it.
      ...["--no-daemon", ...approvalArgs(task), ...modelArgs(task)],
      ...(task.resume ? ["resume", task.resume] : []),
    ]),
}

/**
 * Returns the approval arguments. Codex's sandbox is always off, because Codex already runs in Switchyard's sandbox.
 */
function approvalArgs(task: AgentTask): string[] {
  return modeOf(task) === "bypass" ? [BYPASS] : ["-a", "untrusted", "-s", "danger-full-access"]
}

function modelArgs({ model }: AgentTask): string[] {
  return model ? ["-m", model] : []
}

const KEY_VARIABLE = "SWITCHYARD_CODEX_KEY"

function command(task: AgentTask, account: AgentAccount, args: string[]): CliCommand {
  return {
    file: "codex",
    args: [...overrides(task, account), ...args],
    env: {
      CODEX_HOME: `${task.home}/.codex`,
      ...(account.apiKey && { [KEY_VARIABLE]: account.apiKey }),
      ...(task.tools && { [TOOLS_TOKEN_VARIABLE]: task.tools.token }),
    },
    homeFiles: [{ path: ".codex/config.toml", content: config(task) }],
  }
}

/**
 * Returns a task's settings as arguments. They can't be in the config file, because all agents of an account share it
 * and each task overwrites it.
 */
function overrides(task: AgentTask, account: AgentAccount): string[] {
  const settings = {
    ...(account.apiKey && { model_provider: toml(PROVIDER), [`model_providers.${PROVIDER}`]: provider(account) }),
    ...(!task.isTrusted && { "features.hooks": "false" }),
    ...(task.reasoning && { model_reasoning_effort: toml(task.reasoning) }),
    ...(task.tools && {
      [`mcp_servers.${TOOL_SERVER}.url`]: toml(task.tools.bareUrl),
      [`mcp_servers.${TOOL_SERVER}.bearer_token_env_var`]: toml(TOOLS_TOKEN_VARIABLE),
      [`mcp_servers.${TOOL_SERVER}.default_tools_approval_mode`]: toml("approve"),
    }),
  }
  return Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`])
}

const PROVIDER = "switchyard"

/** Returns the provider as an inline table. The table names the environment variable that contains the key. */
function provider({ baseUrl }: AgentAccount): string {
  const fields = [
    'name = "Switchyard"',
    `base_url = ${toml(`${baseUrl ?? "https://api.openai.com"}/v1`)}`,
    `env_key = ${toml(KEY_VARIABLE)}`,
    'wire_api = "responses"',
    // Let Codex retry often. The runner ends turns that the API refuses for too long. Codex waits 0.2 s before the
    // first retry, and doubles the delay each time.
    "request_max_retries = 9",
    "stream_max_retries = 9",
    "stream_idle_timeout_ms = 120000",
  ]
  return `{ ${fields.join(", ")} }`
}

/**
 * Returns the config file. Its top-level keys come first, as TOML requires. It marks the folder as trusted, because
 * Codex ignores instructions in untrusted folders.
 */
function config({ cwd }: AgentTask): string {
  return [
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[feedback]",
    "enabled = false",
    "[features]",
    "plugins = false",
    "apps = false",
    `[projects.${toml(cwd)}]`,
    'trust_level = "trusted"',
    "",
  ].join("\n")
}

/** Quotes a text as a TOML basic string, which has the same syntax as a JSON string. */
function toml(text: string): string {
  return JSON.stringify(text)
}
