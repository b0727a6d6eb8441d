import { acp } from "./acp.ts"
import {
  type AgentAccount,
  type AgentTask,
  type Cli,
  type CliCommand,
  TOOL_SERVER,
  TOOLS_TOKEN_VARIABLE,
} from "./cli.ts"

/**
 * Mistral Vibe, by the Agent Client Protocol. Written from its documentation (2.18.4) and never run: it needs Python 3.12
 * and isn't among the agents that the tests install.
 */
export const vibe: Cli = {
  title: "Mistral Vibe",
  package: { registry: "pypi", name: "mistral-vibe", version: "2.18.4" },
  sessionFiles: { folder: ".vibe/logs", mark: (session) => session.slice(0, 8) },
  plan: (task, account) => ({ command: command(task, account, "vibe-acp", []), protocol: acp(task) }),
  tui: (task, account) =>
    command(task, account, "vibe", ["--trust", ...(task.resume ? ["--resume", task.resume] : [])]),
}

function command(task: AgentTask, { apiKey, baseUrl }: AgentAccount, file: string, args: string[]): CliCommand {
  const provider = baseUrl
    ? [
        "[[providers]]",
        'name = "mistral"',
        `api_base = ${JSON.stringify(`${baseUrl}/v1`)}`,
        'api_key_env_var = "MISTRAL_API_KEY"',
      ]
    : []
  const tools = task.tools
    ? [
        "[[mcp_servers]]",
        `name = "${TOOL_SERVER}"`,
        'transport = "streamable-http"',
        `url = ${JSON.stringify(task.tools.bareUrl)}`,
        `api_key_env = "${TOOLS_TOKEN_VARIABLE}"`,
      ]
    : []
  const config = ["enable_telemetry = false", "enable_update_checks = false", ...provider, ...tools, ""]
  return {
    file,
    args,
    env: {
      ...(apiKey && { MISTRAL_API_KEY: apiKey }),
      ...(task.tools && { [TOOLS_TOKEN_VARIABLE]: task.tools.token }),
      VIBE_HOME: `${task.home}/.vibe`,
    },
    homeFiles: [{ path: ".vibe/config.toml", content: config.join("\n") }],
  }
}
