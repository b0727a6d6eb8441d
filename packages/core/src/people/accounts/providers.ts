import { loginNotice, loginOf } from "../../agents/clis/cli-logins.ts"
import { CliId } from "../../agents/clis/schema.ts"
import type { Provider } from "./schema.ts"

export const providers = {
  claude: {
    name: "Claude Code",
    description: "Anthropic's agent, with a key of the Anthropic API.",
    supports_reasoning: true,
    needs_key: true,
  },
  codex: {
    name: "Codex",
    description: "OpenAI's agent, with a key of the OpenAI API.",
    supports_reasoning: true,
    needs_key: true,
  },
  gemini: {
    name: "Gemini CLI",
    description: "Google's agent, with a key of the Gemini API.",
    supports_reasoning: false,
    needs_key: true,
  },
  qwen: {
    name: "Qwen Code",
    description: "Alibaba's agent, with a key of any OpenAI-compatible API.",
    supports_reasoning: false,
    needs_key: true,
  },
  opencode: {
    name: "opencode",
    description: "An open-source agent, with a key of any OpenAI-compatible API.",
    supports_reasoning: false,
    needs_key: true,
  },
  vibe: {
    name: "Mistral Vibe",
    description: "Mistral's agent, with a key of the Mistral API.",
    supports_reasoning: false,
    needs_key: true,
  },
  mock: {
    name: "Mock",
    description: "Simulates an agent for tests and trials. No key needed.",
    supports_reasoning: false,
    needs_key: false,
  },
} satisfies Record<CliId, Omit<Provider, "type" | "server_key" | "login">>

/** Lists the providers for accounts. The mock is for development. `keys` come from the server's environment. */
export function listProviders({
  withMock,
  withLogins,
  keys,
}: {
  withMock: boolean
  withLogins: boolean
  keys: Partial<Record<CliId, string>>
}): Provider[] {
  const all = CliId.options.map((type) => {
    const provider = providers[type]
    const login = withLogins ? loginOf(type) : undefined
    return {
      ...{ type, ...provider },
      login: login
        ? { files: login.files, command: login.command?.join(" ") ?? null, notice: loginNotice(login) }
        : null,
      server_key: !provider.needs_key || keys[type] !== undefined,
    }
  })
  return all.filter(({ type }) => withMock || type !== "mock")
}
