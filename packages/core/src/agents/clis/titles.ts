/** Names of the agent programs, as their makers write them. */
export const CLI_TITLES = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  qwen: "Qwen Code",
  opencode: "opencode",
  vibe: "Mistral Vibe",
  mock: "Mock",
} as const

/** Returns the name of an agent program, or its ID if this version doesn't know the program. */
export function cliTitle(cli: string): string {
  return Object.hasOwn(CLI_TITLES, cli) ? CLI_TITLES[cli as keyof typeof CLI_TITLES] : cli
}

/** Name of a session's default agent. Instead of this name, people see the name of the agent's program. */
const MAIN = "main"

/**
 * Returns an agent's name as shown to people. This is the program's name if the agent is the session's default agent or
 * was named after the program.
 */
export function agentTitle(name: string, cli: string | null): string {
  if (cli === null) return name === MAIN ? "Agent" : name
  const title = cliTitle(cli)
  if (name === MAIN) return title
  const prefix = `${programSlug(title)}-`
  const number = name.startsWith(prefix) ? name.slice(prefix.length) : ""
  return /^\d+$/.test(number) ? `${title} ${number}` : name
}

/** Returns an unused name for another agent of this program. */
export function nextAgentName(title: string, taken: readonly string[]): string {
  const names = new Set(taken.map((name) => name.toLowerCase()))
  let number = 2
  while (names.has(`${programSlug(title)}-${number}`)) number++
  return `${programSlug(title)}-${number}`
}

function programSlug(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-")
}
