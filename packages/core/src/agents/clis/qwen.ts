import {
  type AgentAccount,
  type AgentTask,
  type Cli,
  type CliCommand,
  modeOf,
  SERVERS,
  SKILLS,
  VARIABLES,
} from "./cli.ts"
import { TOOL_SERVER, TOOLS_URL_VARIABLE } from "./own-tools.ts"
import { CLI_TITLES } from "./titles.ts"

/** Qwen Code, which speaks Claude's control protocol. */
export const qwen: Cli = {
  title: CLI_TITLES.qwen,
  description: "Alibaba's agent, with a key of any OpenAI-compatible API.",
  company: "alibaba",
  package: {
    registry: "npm",
    name: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "cli-entry.js",
    forgotten: ["vendor/ripgrep/{arch}-{platform}/rg"],
  },
  keyVariables: ["OPENAI_API_KEY"],
  defaultApi: () => "https://api.openai.com",
  hosts: ["api.openai.com", "chat.qwen.ai", "portal.qwen.ai", "dashscope.aliyuncs.com"],
  modelList: { provider: "openai" },
  login: { refused: "Qwen has discontinued Qwen Code's own login. Use an API key." },
  startFiles: {
    ".qwen": "MCP servers, hooks, extensions and commands",
    ".agents": SKILLS,
    ".mcp.json": SERVERS,
    ".lsp.json": "language servers",
    ".env": VARIABLES,
  },
  instructionFiles: ["QWEN.md", "QWEN.local.md"],
  tools: {
    ...{ run_shell_command: "bash", read_file: "read", write_file: "write", edit: "edit", notebook_edit: "edit" },
    ...{ glob: "glob", list_directory: "glob", grep_search: "grep" },
    ...{ agent: null, task: null, skill: null, ask_user_question: null, enter_plan_mode: null, exit_plan_mode: null },
    ...{ save_memory: null, todo_write: null, web_fetch: null, web_search: null },
  },
  sessionFiles: { folder: ".qwen/projects", mark: (session) => session },
  plan: (task, account, { streamJson }) => ({
    command: command(task, account, ["--input-format", "stream-json", "--output-format", "stream-json"]),
    protocol: streamJson(task, {
      inputIncludesCacheRead: true,
      resumedUsageIsTotal: true,
      ...(modeOf(task) !== "bypass" && { askingModes: [approvalMode(task), "default", "plan"] }),
    }),
  }),
  tui: (task, account) => command(task, account, []),
}

function approvalMode(task: AgentTask): string {
  if (modeOf(task) === "bypass") return "yolo"
  return modeOf(task) === "plan" ? "plan" : "default"
}

function command(task: AgentTask, { apiKey, baseUrl }: AgentAccount, args: string[]): CliCommand {
  const settings = {
    ...(apiKey && { security: { auth: { selectedType: "openai" } } }),
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // Make Qwen ask before it uses these tools. By default, it reads files without asking, and runs commands that it
    // considers read-only, even if a rule forbids this.
    permissions: { ask: ["Bash", "Read", "WebFetch"] },
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    model: { generationConfig: { timeout: 120_000, maxRetries: 2 } },
    // Qwen replaces the variable with its value.
    ...(task.tools && { mcpServers: { [TOOL_SERVER]: { httpUrl: `$${TOOLS_URL_VARIABLE}`, trust: true } } }),
  }
  return {
    file: "qwen",
    args: [
      ...args,
      ...["--approval-mode", approvalMode(task)],
      ...(task.model ? ["-m", task.model] : []),
      ...(task.resume ? ["--resume", task.resume] : []),
    ],
    env: {
      ...(apiKey && { OPENAI_API_KEY: apiKey }),
      ...(baseUrl && { OPENAI_BASE_URL: `${baseUrl}/v1` }),
      ...(task.model && { OPENAI_MODEL: task.model }),
      ...(task.tools && { [TOOLS_URL_VARIABLE]: task.tools.url }),
      QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
    },
    homeFiles: [{ path: ".qwen/settings.json", content: JSON.stringify(settings) }],
  }
}
