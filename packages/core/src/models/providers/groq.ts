import type { ProviderFacts } from "./provider-facts.ts"

export const defaultModelName = "groq/openai/gpt-oss-120b"

export const groq: ProviderFacts = {
  name: "Groq",
  kind: "hosted",
  api: "groq",
  baseUrl: "https://api.groq.com",
  defaultModel: defaultModelName,
  keyForm: { described: "a Groq key", prefix: "gsk_", form: /^gsk_/, domain: "groq.com" },
  cache: "automatic",
  searchOf: () => "by model",
  modelsUrl: (baseUrl) => `${baseUrl.replace(/\/openai\/v1$/, "")}/openai/v1/models`,
}
