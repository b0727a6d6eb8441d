import type { ModelRules, ProviderFacts } from "./provider-facts.ts"

export const anthropic: ProviderFacts = {
  name: "Anthropic",
  kind: "hosted",
  api: "anthropic",
  baseUrl: "https://api.anthropic.com",
  defaultModel: "anthropic/claude-sonnet-5",
  smallModel: "claude-haiku-4-5",
  shortNames: /^claude/i,
  keyForm: { described: "an Anthropic key", prefix: "sk-ant-", form: /^sk-ant-(?!oat)/, domain: "anthropic.com" },
  pricesUrl: "https://platform.claude.com/docs/en/about-claude/pricing",
  searchFeeUsd: 0.01,
  listsVision: true,
  modelsUrl: (baseUrl) => `${baseUrl.replace(/\/v1$/, "")}/v1/models?limit=1000`,
  keyHeaders: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
}

export const anthropicRules: ModelRules = {
  cacheOf: () => "marked",
  searchOf: (model) => (/^claude-(2|instant|3-(haiku|sonnet|opus)|3-5-sonnet)/.test(model) ? undefined : "itself"),
  seesImages: (model) => (/^claude-(2|instant)/.test(model) ? false : /^claude-/.test(model) || undefined),
}

/** Returns the output limit. Anthropic requires one and rejects values above the model's maximum. */
export function claudeMaxTokens(model: string): number {
  if (/^claude-(v?2|instant|3-(haiku|sonnet|opus))/.test(model)) return 4096
  return /^claude-3-5/.test(model) ? 8192 : 32_000
}
