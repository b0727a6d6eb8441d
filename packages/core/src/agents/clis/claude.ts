import type { PermissionMode } from "../permissions/schema.ts"
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

/** Claude Code, steered by its control protocol. */
export const claude: Cli = {
  title: "Claude Code",
  package: { registry: "npm", name: "@anthropic-ai/claude-code", version: "2.1.330" },
  sessionFiles: { folder: ".claude/projects", mark: (session) => session, moves: "by_folder" },
  plan: (task, account) => ({
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

/** In all but its bypass it asks, and the product answers for what the mode allows. */
const MODES: Record<PermissionMode, string> = {
  ask: "default",
  accept_edits: "default",
  plan: "plan",
  bypass: "bypassPermissions",
}

function command(task: AgentTask, { apiKey, baseUrl }: AgentAccount, args: string[]): CliCommand {
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
      ...(apiKey && { ANTHROPIC_API_KEY: apiKey }),
      ...(baseUrl && { ANTHROPIC_BASE_URL: baseUrl }),
      ...(task.tools && { [TOOLS_URL_VARIABLE]: task.tools.url }),
      CLAUDE_CONFIG_DIR: `${task.home}/.claude`,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // The runner ends a turn that is refused for long.
      CLAUDE_CODE_MAX_RETRIES: "10",
      API_TIMEOUT_MS: "120000",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      // Root may not skip permissions without it; to anybody else it means nothing.
      IS_SANDBOX: "1",
    },
    homeFiles: [{ path: ".claude/.claude.json", content: onboarding(task, apiKey) }],
  }
}

/** Else it reads, and runs commands that it takes for reading, without asking, whatever a rule says of that. */
const ASKING = JSON.stringify({ permissions: { ask: ["Bash", "Read", "Grep", "Glob", "WebFetch", "WebSearch"] } })

/**
 * In the modes that ask, a project's own settings could allow what a person wants to be asked for. In the other one, a project
 * that isn't trusted has its instructions read with its settings, so those may start nothing.
 */
function settingsArgs(task: AgentTask): string[] {
  if (modeOf(task) !== "bypass") return ["--setting-sources", "user", "--strict-mcp-config", "--settings", ASKING]
  if (task.isTrusted) return []
  const nothing = JSON.stringify({ disableAllHooks: true })
  return ["--setting-sources", "user,project", "--strict-mcp-config", "--settings", nothing]
}

/** It fills in the variable when it reads this. */
function toolServers(): string {
  return JSON.stringify({ mcpServers: { [TOOL_SERVER]: { type: "http", url: `\${${TOOLS_URL_VARIABLE}}` } } })
}

/** Without it the screen asks for a theme, for trust, and contacts its maker whatever the base URL. */
function onboarding(task: AgentTask, apiKey: string | null): string {
  return JSON.stringify({
    hasCompletedOnboarding: true,
    theme: "dark",
    bypassPermissionsModeAccepted: true,
    ...(apiKey && { customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] } }),
    projects: { [task.cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  })
}
