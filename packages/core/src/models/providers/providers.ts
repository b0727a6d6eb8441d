import { anthropic } from "./anthropic.ts"
import { bedrock } from "./bedrock.ts"
import { claudeCode } from "./claude-code.ts"
import { groq } from "./groq.ts"
import { local } from "./local.ts"
import { openai } from "./openai.ts"
import { scripted } from "./scripted.ts"

/** All model providers, by the prefix of their model names. */
export const modelProviders = { groq, anthropic, openai, bedrock, local, "claude-code": claudeCode, scripted }

export type ProviderId = keyof typeof modelProviders

export const providerIds = Object.keys(modelProviders) as ProviderId[]

/** Providers that are configured with a key or an address. */
export const keyedProviders = providerIds.filter((id) => ["hosted", "own_server"].includes(modelProviders[id].kind))

/** Returns the names of the environment variables that configure a provider. */
export function variablesOf(id: ProviderId): { apiKey: string; baseUrl: string } {
  const prefix = id.toUpperCase()
  return { apiKey: `${prefix}_API_KEY`, baseUrl: `${prefix}_BASE_URL` }
}
