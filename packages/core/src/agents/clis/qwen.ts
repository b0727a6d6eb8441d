import {
  type AgentAccount,
  type AgentTask,
  type Cli,
  type CliCommand,
  modeOf,
  TOOL_SERVER,
  TOOLS_URL_VARIABLE,
} from "./cli.ts"
import { streamJson } from "./stream-json.ts"

/** Qwen Code, which speaks Claude's control protocol. */
export const qwen: Cli = {
  title: "Qwen Code",
  package: { registry: "npm", name: "@qwen-code/qwen-code", version: "0.24.4" },
  sessionFiles: { folder: ".qwen/projects", mark: (session) => session },
  plan: (task, account) => ({
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
    // Makes Qwen ask. Otherwise it reads, and runs commands that it considers read-only, despite any rule.
    permissions: { ask: ["Bash", "Read", "WebFetch"] },
    general: { disableAutoUpdate: true, enableAutoUpdate: false },
    model: { generationConfig: { timeout: 120_000, maxRetries: 2 } },
    // Qwen fills in the variable when it reads this.
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
