import { type AgentAccount, type AgentTask, type Cli, type CliCommand, modeOf, SKILLS, VARIABLES } from "./cli.ts"
import { TOOL_SERVER, TOOLS_URL_VARIABLE } from "./own-tools.ts"
import { CLI_TITLES } from "./titles.ts"

/**
 * Gemini CLI through the Agent Client Protocol. No other interface of Gemini CLI can ask for permission, receive
 * answers and be stopped.
 */
export const gemini: Cli = {
  title: CLI_TITLES.gemini,
  description: "Google's agent, with a key of the Gemini API.",
  company: "google",
  package: { registry: "npm", name: "@google/gemini-cli", version: "0.61.0", program: "bundle/gemini.js" },
  keyVariables: ["GEMINI_API_KEY"],
  defaultApi: () => "https://generativelanguage.googleapis.com",
  hosts: ["*.googleapis.com", "accounts.google.com"],
  login: {
    refused:
      "Google forbids other software to use Gemini CLI's login, and may suspend accounts for doing so. Use an API key.",
  },
  startFiles: { ".gemini": "MCP servers, hooks, extensions and commands", ".agents": SKILLS, ".env": VARIABLES },
  instructionFiles: ["GEMINI.md"],
  tools: {
    ...{ run_shell_command: "bash", read_file: "read", read_many_files: "read", write_file: "write", replace: "edit" },
    ...{ glob: "glob", list_directory: "glob", grep_search: "grep", search_file_content: "grep" },
    ...{ ask_user: null, enter_plan_mode: null, exit_plan_mode: null, activate_skill: null, save_memory: null },
    ...{ write_todos: null, google_web_search: null, web_fetch: null },
  },
  sessionFiles: { folder: ".gemini/tmp", mark: (session) => session.slice(0, 8), settledName },
  plan: (task, account, { acp }) => ({
    command: command(task, account, ["--acp", "--approval-mode", approvalMode(task)]),
    protocol: acp(task, { mode: approvalMode(task) }),
  }),
  tui: (task, account) =>
    command(task, account, ["--approval-mode", approvalMode(task), ...(task.resume ? ["--resume", task.resume] : [])]),
}

/**
 * Policy that makes Gemini ask before every read and command. By default, Gemini reads files without asking, and runs
 * commands that it considers safe, whatever its rules are. Rules with an argument pattern override that default.
 */
const ASKING = `[[rule]]
toolName = ["run_shell_command", "read_file", "read_many_files", "glob", "grep_search", "list_directory", "web_fetch", "google_web_search"]
argsPattern = "."
decision = "ask_user"
priority = 900
modes = ["default"]
`

/**
 * Returns a name for a session file that contains an impossible time. Gemini names each session file after the current
 * minute. When Gemini resumes a session, it first creates an empty file with the same ID. If both files were named
 * after the same minute, the empty file would overwrite ours.
 */
function settledName(name: string): string | undefined {
  const parts = /^(session-\d{4}-\d\d-\d\dT)\d\d-\d\d(-.+)$/.exec(name)
  return parts ? `${parts[1]}24-00${parts[2]}` : undefined
}

function approvalMode(task: AgentTask): string {
  return modeOf(task) === "bypass" ? "yolo" : "default"
}

function command(task: AgentTask, { apiKey, baseUrl }: AgentAccount, args: string[]): CliCommand {
  const settings = {
    ...(apiKey && { security: { auth: { selectedType: "gemini-api-key" } } }),
    ...(!task.isTrusted && { advanced: { ignoreLocalEnv: true }, hooksConfig: { enabled: false } }),
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // Let Gemini retry often. The runner ends turns that the API refuses for too long.
    general: {
      ...{ enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: 10 },
      // Switch off Gemini's cleanup. A resumed session leaves an empty file, and the cleanup would then delete the
      // whole session.
      sessionRetention: { enabled: false },
    },
    // Gemini replaces the variable with its value.
    ...(task.tools && { mcpServers: { [TOOL_SERVER]: { httpUrl: `$${TOOLS_URL_VARIABLE}`, trust: true } } }),
  }
  return {
    file: "gemini",
    args: [...args, "--skip-trust", ...(task.model ? ["-m", task.model] : [])],
    env: {
      ...(apiKey && { GEMINI_API_KEY: apiKey }),
      ...(baseUrl && { GOOGLE_GEMINI_BASE_URL: baseUrl }),
      ...(task.tools && { [TOOLS_URL_VARIABLE]: task.tools.url }),
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    homeFiles: [
      { path: ".gemini/settings.json", content: JSON.stringify(settings) },
      { path: ".gemini/policies/switchyard.toml", content: ASKING },
    ],
  }
}
