import { acp } from "./acp.ts"
import {
  type AgentAccount,
  type AgentTask,
  type Cli,
  type CliCommand,
  modeOf,
  TOOL_SERVER,
  TOOLS_TOKEN_VARIABLE,
} from "./cli.ts"

/** Mistral Vibe, by the Agent Client Protocol. It is written in Python, so people install it themselves. */
export const vibe: Cli = {
  title: "Mistral Vibe",
  package: { registry: "pypi", name: "mistral-vibe", version: "3.0.3" },
  sessionFiles: { folder: ".vibe/logs", mark: (session) => session.slice(0, 8) },
  plan: (task, account) => ({
    command: command(task, account, "vibe-acp", []),
    protocol: acp(task, { mode: agentOf(task) }),
  }),
  tui: (task, account) =>
    command(task, account, "vibe", ["--trust", ...(task.resume ? ["--resume", task.resume] : [])]),
}

/** Its agents are what others call modes. */
function agentOf(task: AgentTask): string {
  return modeOf(task) === "bypass" ? "auto-approve" : "ask"
}

/** Else it reads without asking, whatever a rule says of that. */
const ASKING = Object.fromEntries(
  ["read_file", "grep", "web_fetch", "web_search"].map((tool) => [tool, { permission: "ask" }]),
)

/**
 * It reads a project's settings if it trusts the folder. In the modes that ask, these could allow what a rule denies. A path in TOML
 * is written as in JSON.
 */
function trustOf(task: AgentTask): string {
  const isTrusted = task.isTrusted && modeOf(task) === "bypass"
  return `${isTrusted ? "trusted" : "untrusted"} = [${JSON.stringify(task.cwd)}]\n`
}

/** The home's file is that of all agents of the account, so what differs between tasks is in the environment, which wins. */
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
