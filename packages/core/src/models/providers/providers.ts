import { anthropic, anthropicRules } from "./anthropic.ts"
import { bedrock, bedrockRules } from "./bedrock.ts"
import { claudeCode, claudeCodeRules } from "./claude-code.ts"
import { groq, groqRules } from "./groq.ts"
import { local } from "./local.ts"
import { openai, openaiRules } from "./openai.ts"
import type { ModelRules } from "./provider-facts.ts"
import { scripted, scriptedRules } from "./scripted.ts"

/** All model providers, by the prefix of their model names. */
export const modelProviders = { groq, anthropic, openai, bedrock, local, "claude-code": claudeCode, scripted }

export type ProviderId = keyof typeof modelProviders

/** Rules about the providers' models. */
export const modelRules: Record<ProviderId, ModelRules> = {
  groq: groqRules,
  anthropic: anthropicRules,
  openai: openaiRules,
  bedrock: bedrockRules,
  local: {},
  "claude-code": claudeCodeRules,
  scripted: scriptedRules,
}

export const providerIds = Object.keys(modelProviders) as ProviderId[]

/** Providers that are configured with a key or an address. */
export const keyedProviders = providerIds.filter((id) => ["hosted", "own_server"].includes(modelProviders[id].kind))

/** Returns the names of the environment variables that configure a provider. */
export function variablesOf(id: ProviderId): { apiKey: string; baseUrl: string } {
  const prefix = id.toUpperCase()
  return { apiKey: `${prefix}_API_KEY`, baseUrl: `${prefix}_BASE_URL` }
}
