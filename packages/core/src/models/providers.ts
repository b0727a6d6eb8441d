import { defaultModelName, demoModelName, type ProviderId } from "./names.ts"

interface ModelProviderFacts {
  name: string
  /** Model for requests that name only the provider, or null if it depends on the server. */
  defaultModel: string | null
}

/** Model providers with their display names. */
export const modelProviders = {
  groq: { name: "Groq", defaultModel: defaultModelName },
  anthropic: { name: "Anthropic", defaultModel: "anthropic/claude-sonnet-5" },
  openai: { name: "OpenAI", defaultModel: "openai/gpt-5" },
  local: { name: "Local", defaultModel: null },
  scripted: { name: "Demo", defaultModel: demoModelName },
} satisfies Record<ProviderId, ModelProviderFacts>
