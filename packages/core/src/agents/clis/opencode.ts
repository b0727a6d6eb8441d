import { acp } from "./acp.ts"
import { type AgentAccount, type AgentTask, type Cli, type CliCommand, modeOf, TOOL_SERVER } from "./cli.ts"
import { OPENCODE_MODEL } from "./model-access.ts"

const VERSION = "1.18.33"

/** opencode through the Agent Client Protocol. Its mode is an agent, whose permissions come from the configuration. */
export const opencode: Cli = {
  title: "opencode",
  package: { registry: "npm", name: "opencode-ai", version: VERSION },
  sessionFiles: { folder: ".local/share/opencode", mark: () => "opencode.db" },
  plan: (task, account) => ({
    command: command(task, account, ["acp"]),
    protocol: acp(task, { mode: "build", triedVersion: VERSION }),
  }),
  tui: (task, account) => command(task, account, task.resume ? ["-s", task.resume] : []),
}

function command(task: AgentTask, account: AgentAccount, args: string[]): CliCommand {
  return {
    file: "opencode",
    args,
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config(task, account)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      ...(!task.isTrusted && { OPENCODE_PURE: "1", OPENCODE_DISABLE_EXTERNAL_SKILLS: "1" }),
    },
    homeFiles: [],
  }
}

function providerOf(model: string): string {
  return model.split("/")[0] ?? ""
}

/** Tools that need permission except in bypass: a rule may deny any of them. */
const ASKED = ["edit", "bash", "read", "glob", "grep", "list", "webfetch", "websearch"]

function config(task: AgentTask, { apiKey, baseUrl, isDefaultApi }: AgentAccount): object {
  const effect = modeOf(task) === "bypass" ? "allow" : "ask"
  const quiet = {
    share: "disabled",
    autoupdate: false,
    permission: Object.fromEntries(ASKED.map((tool) => [tool, effect])),
    ...(task.tools && { mcp: { [TOOL_SERVER]: { type: "remote", url: task.tools.url, oauth: false, enabled: true } } }),
  }
  const name = task.model ?? OPENCODE_MODEL
  const [, ...rest] = name.split("/")
  if (!baseUrl || isDefaultApi) {
    const reached = { apiKey, ...(baseUrl && { baseURL: `${baseUrl}/v1` }) }
    const options = apiKey ? { provider: { [providerOf(name)]: { options: reached } } } : {}
    return { ...quiet, ...((task.model || apiKey) && { model: name, small_model: name }), ...options }
  }
  // The API behind the base URL speaks OpenAI's protocol, and isn't in opencode's catalogue.
  const model = rest.length > 0 ? rest.join("/") : name
  return {
    ...quiet,
    model: `switchyard/${model}`,
    small_model: `switchyard/${model}`,
    provider: {
      switchyard: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${baseUrl}/v1`, apiKey: apiKey ?? "none" },
        models: { [model]: { limit: { context: 128_000, output: 8000 } } },
      },
    },
  }
}
