import { type AgentAccount, type AgentTask, type Cli, type CliCommand, modeOf } from "./cli.ts"
import { MOCK_SETTINGS_VARIABLE } from "./mock-settings.ts"
import { TOOLS_URL_VARIABLE } from "./own-tools.ts"
import { CLI_TITLES } from "./titles.ts"

/** Placeholder file name of the mock agent, which is built into runners. */
export const MOCK_AGENT = "switchyard-mock-agent"

/** Agent without a model, for tests and trials. `mock: {…}` in its task controls its behaviour. */
export const mock: Cli = {
  title: CLI_TITLES.mock,
  description: "Simulates an agent for tests and trials. No key needed.",
  package: null,
  keyVariables: [],
  defaultApi: () => null,
  hosts: [],
  login: {
    folder: ".mock",
    variable: null,
    files: ["login.json"],
    command: null,
    terms: "The mock agent's login is only for testing.",
  },
  startFiles: {},
  instructionFiles: [],
  // The mock agent uses Claude Code's tool names, and `claude.ts` already lists them.
  tools: {},
  sessionFiles: { folder: ".mock", mark: (session) => session, moves: "by_content" },
  plan: (task, account, { streamJson }) => ({
    command: command(task, account, modeOf(task) === "bypass" ? [] : ["--ask"]),
    protocol: streamJson(task, { inputIncludesCacheRead: false, resumedUsageIsTotal: false }),
  }),
  tui: (task, account) => command(task, account, ["--screen"]),
}

function command(task: AgentTask, { apiKey, baseUrl, mock: simulated }: AgentAccount, args: string[]): CliCommand {
  const resume = task.resume ? ["--resume", task.resume] : []
  const model = task.model ? ["--model", task.model] : []
  const env = {
    ...(task.tools && { [TOOLS_URL_VARIABLE]: task.tools.url }),
    ...(simulated && { [MOCK_SETTINGS_VARIABLE]: JSON.stringify(simulated) }),
    // Let mock agents call a model at their account's base URL.
    ...(apiKey && baseUrl && { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl }),
  }
  return { file: MOCK_AGENT, args: [...args, ...model, ...resume], env, homeFiles: [] }
}
