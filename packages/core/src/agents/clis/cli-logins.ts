import type { CliId } from "./schema.ts"

/** Log-in that a CLI makes by itself, as far as an account can use it. */
export interface CliLogin {
  /** Folder in the CLI's home with the files, and the environment variable for it, if any. */
  folder: string
  variable: string | null
  /** File names in that folder. Every log-in has the first. */
  files: [string, ...string[]]
  /** Starts the log-in in a terminal; null if only the CLI's own screen can. */
  command: string[] | null
  /** Command for a machine without the user's browser, if it differs. */
  elsewhere?: string[]
  /** Vendor's terms in one sentence, shown before consent. */
  terms: string
}

/** Log-ins of accounts, or why there can be none. Separate from the adapters, which only runners load. */
export const cliLogins: Record<CliId, CliLogin | { refused: string }> = {
  codex: {
    folder: ".codex",
    variable: "CODEX_HOME",
    files: ["auth.json"],
    command: ["codex", "login"],
    elsewhere: ["codex", "login", "--device-auth"],
    terms:
      "OpenAI's log-in with a ChatGPT plan is for you alone, and OpenAI recommends API keys for automation: read its terms before you go on.",
  },
  claude: {
    folder: ".claude",
    variable: "CLAUDE_CONFIG_DIR",
    files: [".credentials.json"],
    command: ["claude", "auth", "login"],
    terms:
      "Warning: Anthropic allows the log-in of a Claude plan for ordinary, personal use of Claude Code only, and asks other products to use API keys. It may restrict an account that is used otherwise.",
  },
  gemini: {
    refused:
      "Google forbids the use of Gemini CLI's log-in by other software, and may suspend an account for it. Use an API key.",
  },
  qwen: { refused: "Qwen has discontinued Qwen Code's own log-in. Use an API key." },
  opencode: { refused: "opencode's log-ins are other companies' keys. Add the account with the key itself." },
  vibe: { refused: "Mistral Vibe has no log-in of its own. Use an API key." },
  mock: {
    folder: ".mock",
    variable: null,
    files: ["login.json"],
    command: null,
    terms: "The mock agent's log-in means nothing.",
  },
}

/** Returns the log-in of a CLI; undefined if an account can have none. */
export function loginOf(cli: CliId): CliLogin | undefined {
  const login = cliLogins[cli]
  return "refused" in login ? undefined : login
}

/** Returns the text that a person accepts before an account receives such a log-in. */
export function loginNotice({ terms }: CliLogin): string {
  return [
    "Unlike a key, which no agent sees, a log-in is given to the agent itself: it can read it, and so can every program that it runs and whoever steers it.",
    "One task at a time works with it. A copy of it that is used elsewhere, too, ends one of the two, so make one for this account alone.",
    terms,
  ].join(" ")
}
