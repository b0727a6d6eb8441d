import type { ProviderFacts } from "./provider-facts.ts"

export const openai: ProviderFacts = {
  name: "OpenAI",
  kind: "hosted",
  api: "openai",
  baseUrl: "https://api.openai.com/v1",
  defaultModel: "openai/gpt-5",
  smallModel: "gpt-5-mini",
  shortNames: /^(gpt|o1|o3)/i,
  // A plain `sk-…` key may also be from DeepSeek or a proxy. OpenAI's own keys contain `T3BlbkFJ`, which is "OpenAI" in
  // base64.
  keyForm: {
    described: "an OpenAI key",
    prefix: "sk-proj-",
    form: /^sk-(?:(?:proj|svcacct|admin)-|\w*T3BlbkFJ)/,
    domain: "openai.com",
  },
  cache: "automatic",
  searchFeeUsd: 0.01,
  searchOf: (model, baseUrl) => (isOpenAi(baseUrl) && isSearching(model) ? "itself" : undefined),
  modelsUrl: (baseUrl) => `${baseUrl}/models`,
}

/** Returns true for OpenAI's own URLs, global or regional. Other servers might lack parts of the API. */
export function isOpenAi(baseUrl: string): boolean {
  return /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/.test(baseUrl)
}

/**
 * Returns true for models that can search while answering:
 * https://developers.openai.com/api/docs/guides/tools-web-search
 */
function isSearching(model: string): boolean {
  return /^(gpt-4o|gpt-4\.1|gpt-[5-9]|o3|o4)/.test(model) && !/nano|audio|realtime|transcribe|tts|search/.test(model)
}
