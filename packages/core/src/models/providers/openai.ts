import type { ModelRules, ProviderFacts } from "./provider-facts.ts"

export const openai: ProviderFacts = {
  name: "OpenAI",
  kind: "hosted",
  api: "openai",
  baseUrl: "https://api.openai.com/v1",
  defaultModel: "openai/gpt-5",
  smallModel: "gpt-5-mini",
  shortNames: /^(gpt|o1|o3)/i,
  // A plain `sk-…` key may also come from DeepSeek or a proxy. OpenAI's own keys contain `T3BlbkFJ`, which is "OpenAI"
  // in base64.
  keyForm: {
    described: "an OpenAI key",
    prefix: "sk-proj-",
    form: /^sk-(?:(?:proj|svcacct|admin)-|\w*T3BlbkFJ)/,
    domain: "openai.com",
  },
  pricesUrl: "https://developers.openai.com/api/docs/pricing",
  searchFeeUsd: 0.01,
  listsVision: true,
  modelsUrl: (baseUrl) => `${baseUrl}/models`,
}

export const openaiRules: ModelRules = {
  cacheOf: () => "automatic",
  searchOf: (model, baseUrl) => (isOpenAi(baseUrl) && isSearching(model) ? "itself" : undefined),
  seesImages,
}

/** Returns true for OpenAI's own URLs, global or regional. Other servers might not support the whole API. */
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

/**
 * Decides by model name, because OpenAI's model list doesn't contain this. Names on other servers may mean anything.
 */
function seesImages(model: string): boolean | undefined {
  if (/^(gpt-3\.5|gpt-4(-\d{4}|-32k|$)|o1-(mini|preview)|o3-mini|gpt-oss)/.test(model)) return false
  return /^(gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|o1|o3|o4)/.test(model) || undefined
}
