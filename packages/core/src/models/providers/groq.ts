import type { ModelRules, ProviderFacts } from "./provider-facts.ts"

export const defaultModelName = "groq/openai/gpt-oss-120b"

export const groq: ProviderFacts = {
  name: "Groq",
  kind: "hosted",
  api: "groq",
  baseUrl: "https://api.groq.com",
  defaultModel: defaultModelName,
  keyForm: { described: "a Groq key", prefix: "gsk_", form: /^gsk_/, domain: "groq.com" },
  pricesUrl: "https://groq.com/pricing",
  modelsUrl: (baseUrl) => `${baseUrl.replace(/\/openai\/v1$/, "")}/openai/v1/models`,
}

export const groqRules: ModelRules = {
  cacheOf: () => "automatic",
  searchOf: () => "by model",
  seesImages,
}

/** Decides by model family, because Groq's model list doesn't contain this: https://console.groq.com/docs/vision */
function seesImages(model: string): boolean | undefined {
  if (/llama-4|qwen3\.[6-9]|vision|-vl\b/.test(model)) return true
  return /gpt-oss|llama-?3|qwen3-|kimi-k2-|compound|allam/.test(model) ? false : undefined
}
