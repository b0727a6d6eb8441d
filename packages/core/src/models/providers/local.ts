import type { ProviderFacts } from "./provider-facts.ts"

/** Models on an OpenAI-compatible server. */
export const local: ProviderFacts = {
  name: "Local",
  kind: "own_server",
  api: "openai",
  defaultModel: null,
  listsVision: true,
  modelsUrl: (baseUrl) => `${baseUrl}/models`,
}
