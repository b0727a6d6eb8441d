import { type AgentAccount, type AgentTask, type Cli, type CliCommand, modeOf, SKILLS } from "./cli.ts"
import { TOOL_SERVER, TOOLS_TOKEN_VARIABLE } from "./own-tools.ts"
import { CLI_TITLES } from "./titles.ts"

/** Mistral Vibe through the Agent Client Protocol. Users install it themselves, because it is a Python program. */
export const vibe: Cli = {
  title: CLI_TITLES.vibe,
  description: "Mistral's agent, with a key of the Mistral API.",
  company: "mistral",
  package: { registry: "pypi", name: "mistral-vibe", version: "3.0.3" },
  keyVariables: ["MISTRAL_API_KEY"],
  defaultApi: () => "https://api.mistral.ai",
  hosts: ["api.mistral.ai"],
  modelList: { provider: "local", baseUrl: "https://api.mistral.ai/v1" },
  login: { refused: "Mistral Vibe has no login of its own. Use an API key." },
  startFiles: { ".vibe": "MCP servers, hooks, tools and agents", ".agents": SKILLS },
  instructionFiles: ["AGENTS.md"],
  tools: {
    ...{ bash: "bash", read_file: "read", write_file: "write", search_replace: "edit", grep: "grep" },
    ...{ task: null, todo: null, ask_user_question: null, web_fetch: null, web_search: null },
  },
  sessionFiles: { folder: ".vibe/logs", mark: (session) => session.slice(0, 8) },
  plan: (task, account, { acp }) => ({
    command: command(task, account, "vibe-acp", []),
    protocol: acp(task, { mode: agentOf(task), explain }),
  }),
  tui: (task, account) =>
    command(task, account, "vibe", ["--trust", ...(task.resume ? ["--resume", task.resume] : [])]),
}

/**
 * Explains a known error. Vibe looks for project settings in each folder above the worktree, and fails if it can't read
 * one of these folders.
 */
function explain(message: string): string {
  if (!message.includes("_check_trust() failed")) return message
  return `Mistral Vibe couldn't look for .vibe/config.toml in every folder above the worktree. Make any .vibe folder there readable for the agent's user, or run agents in a sandbox. (${message})`
}

/** Returns the `agent` setting. Vibe calls its modes agents. */
function agentOf(task: AgentTask): string {
  return modeOf(task) === "bypass" ? "auto-approve" : "ask"
}

/**
 * Settings that make Vibe ask before it reads files. By default, it reads files without asking, even if a rule forbids
 * this.
 */
const ASKING = Object.fromEntries(
  ["read_file", "grep", "web_fetch", "web_search"].map((tool) => [tool, { permission: "ask" }]),
)

/**
 * Returns the line that marks the folder as trusted or untrusted. Vibe only reads settings in trusted folders. TOML
 * quotes paths like JSON.
 */
function trustOf({ cwd, isTrusted }: AgentTask): string {
  return `${isTrusted ? "trusted" : "untrusted"} = [${JSON.stringify(cwd)}]\n`
}

/**
 * Returns the command. The task's settings are in the environment, because all agents of an account share the config
 * file.
 */
function command(task: AgentTask, { apiKey, baseUrl }: AgentAccount, file: string, args: string[]): CliCommand {
  const provider = { name: "mistral", api_base: `${baseUrl}/v1`, api_key_env_var: "MISTRAL_API_KEY" }
  const server = task.tools && {
    name: TOOL_SERVER,
    transport: "streamable-http",
    url: task.tools.bareUrl,
    api_key_env: TOOLS_TOKEN_VARIABLE,
  }
  return {
    file,
    args,
    env: {
      ...(apiKey && { MISTRAL_API_KEY: apiKey }),
      ...(baseUrl && { VIBE_PROVIDERS: JSON.stringify([provider]) }),
      ...(server && { VIBE_MCP_SERVERS: JSON.stringify([server]) }),
      ...(task.tools && { [TOOLS_TOKEN_VARIABLE]: task.tools.token }),
      ...(modeOf(task) !== "bypass" && { VIBE_TOOLS: JSON.stringify(ASKING) }),
      VIBE_DEFAULT_AGENT: agentOf(task),
      VIBE_HOME: `${task.home}/.vibe`,
    },
    homeFiles: [
      { path: ".vibe/config.toml", content: "enable_telemetry = false\nenable_update_checks = false\n" },
      { path: ".vibe/trusted_folders.toml", content: trustOf(task) },
    ],
  }
}
