import type { CliId } from "./schema.ts"

/** Access of a CLI to its model, as far as it depends on the CLI alone. */
export interface ModelAccess {
  /** Variables of the server's environment that may contain its key. The first that is set counts. */
  keyVariables: string[]
  /** Returns the base URL of its own default API for this model; null if unknown. */
  defaultApi(model: string | null): string | null
  /** Hosts that it contacts with a log-in or a key of its own. */
  hosts: string[]
}

/** Model of opencode for tasks that name none. */
export const OPENCODE_MODEL = "anthropic/claude-sonnet-4-5"

/** Model access of each CLI. Separate from the protocols, which only runners load: every server needs this. */
export const modelAccess: Record<CliId, ModelAccess> = {
  claude: {
    keyVariables: ["ANTHROPIC_API_KEY"],
    defaultApi: () => "https://api.anthropic.com",
    hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
  },
  codex: {
    keyVariables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    defaultApi: () => "https://api.openai.com",
    hosts: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
  },
  gemini: {
    keyVariables: ["GEMINI_API_KEY"],
    defaultApi: () => "https://generativelanguage.googleapis.com",
    hosts: ["*.googleapis.com", "accounts.google.com"],
  },
  qwen: {
    keyVariables: ["OPENAI_API_KEY"],
    defaultApi: () => "https://api.openai.com",
    hosts: ["api.openai.com", "chat.qwen.ai", "portal.qwen.ai", "dashscope.aliyuncs.com"],
  },
  opencode: {
    keyVariables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
    defaultApi: (model) => OPENCODE_APIS[(model ?? OPENCODE_MODEL).split("/")[0] ?? ""] ?? null,
    hosts: ["api.anthropic.com", "api.openai.com", "api.mistral.ai", "opencode.ai"],
  },
  vibe: {
    keyVariables: ["MISTRAL_API_KEY"],
    defaultApi: () => "https://api.mistral.ai",
    hosts: ["api.mistral.ai"],
  },
  mock: { keyVariables: [], defaultApi: () => null, hosts: [] },
}

/** Providers of opencode's catalogue whose API has the version path that we add. */
const OPENCODE_APIS: { [provider: string]: string } = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com",
  mistral: "https://api.mistral.ai",
}
