import { type AgentAccount, type AgentTask, type Cli, type CliCommand, modeOf, SKILLS } from "./cli.ts"
import { TOOL_SERVER } from "./own-tools.ts"
import { CLI_TITLES } from "./titles.ts"

const VERSION = "1.18.33"

/** Default model for tasks that don't name one. */
const DEFAULT_MODEL = "anthropic/claude-sonnet-4-5"

/** Base URLs of providers in opencode's catalogue. The APIs there have the version path that we append. */
const APIS: { [provider: string]: string } = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com",
  mistral: "https://api.mistral.ai",
}

/**
 * opencode through the Agent Client Protocol. What opencode calls agents are our modes, and its permissions come from
 * the configuration.
 */
export const opencode: Cli = {
  title: CLI_TITLES.opencode,
  description: "An open-source agent, with a key of any OpenAI-compatible API.",
  package: {
    registry: "npm",
    name: "opencode-ai",
    version: VERSION,
    build: "opencode-{platform}-{arch}",
    program: "bin/opencode",
  },
  keyVariables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
  defaultApi: (model) => APIS[providerOf(model ?? DEFAULT_MODEL)] ?? null,
  hosts: ["api.anthropic.com", "api.openai.com", "api.mistral.ai", "opencode.ai"],
  login: { refused: "opencode's logins are keys of other companies. Add such a key to the account instead." },
  startFiles: {
    ".opencode": "plugins, tools, MCP servers, agents and commands",
    "opencode.json": "plugins, MCP servers, formatters and language servers",
    "opencode.jsonc": "plugins, MCP servers, formatters and language servers",
    ".claude": SKILLS,
    ".agents": SKILLS,
  },
  instructionFiles: ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"],
  // opencode stores the project's ID in this file.
  gitFolderMarks: ["opencode"],
  tools: {
    ...{ bash: "bash", read: "read", write: "write", edit: "edit", patch: "edit" },
    ...{ glob: "glob", list: "glob", grep: "grep" },
    ...{ task: null, skill: null, question: null, todoread: null, todowrite: null },
    ...{ codesearch: null, webfetch: null, websearch: null },
  },
  sessionFiles: { folder: ".local/share/opencode", mark: () => "opencode.db" },
  plan: (task, account, { acp }) => ({
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

/** Tools that need permission in every mode except bypass, because a rule may deny any of them. */
const ASKED = ["edit", "bash", "read", "glob", "grep", "list", "webfetch", "websearch"]

function config(task: AgentTask, { apiKey, baseUrl, isDefaultApi }: AgentAccount): object {
  const effect = modeOf(task) === "bypass" ? "allow" : "ask"
  const quiet = {
    share: "disabled",
    autoupdate: false,
    permission: Object.fromEntries(ASKED.map((tool) => [tool, effect])),
    ...(task.tools && { mcp: { [TOOL_SERVER]: { type: "remote", url: task.tools.url, oauth: false, enabled: true } } }),
  }
  const name = task.model ?? DEFAULT_MODEL
  const [, ...rest] = name.split("/")
  if (!baseUrl || isDefaultApi) {
    const reached = { apiKey, ...(baseUrl && { baseURL: `${baseUrl}/v1` }) }
    const options = apiKey ? { provider: { [providerOf(name)]: { options: reached } } } : {}
    return { ...quiet, ...((task.model || apiKey) && { model: name, small_model: name }), ...options }
  }
  // Define a provider, because the API at the base URL isn't in opencode's catalogue. It uses OpenAI's protocol.
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
