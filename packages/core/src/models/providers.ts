import { defaultModelName, demoModelName, type ProviderId } from "./names.ts"

interface ModelProviderFacts {
  name: string
  /** The model of a request that names the provider only; null where it depends on what the server there has. */
  defaultModel: string | null
}

/** The providers of models, for people. */
export const modelProviders = {
  groq: { name: "Groq", defaultModel: defaultModelName },
  anthropic: { name: "Anthropic", defaultModel: "anthropic/claude-sonnet-5" },
  openai: { name: "OpenAI", defaultModel: "openai/gpt-5" },
  local: { name: "Local", defaultModel: null },
  scripted: { name: "Demo", defaultModel: demoModelName },
} satisfies Record<ProviderId, ModelProviderFacts>
