import type { ModelName } from "./names.ts"

export const OPENAI = "https://api.openai.com/v1"

/** True if the URL is OpenAI's own, global or regional. Only there is its complete API known to exist. */
export function isOpenAi(baseUrl: string): boolean {
  return /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/.test(baseUrl)
}

/** True if an OpenAI model can search the web while it answers. */
export function canOpenAiSearch(model: string, baseUrl = OPENAI): boolean {
  return isOpenAi(baseUrl) && isSearching(model)
}

/** True for models that can search in a response: https://developers.openai.com/api/docs/guides/tools-web-search */
function isSearching(model: string): boolean {
  return /^(gpt-4o|gpt-4\.1|gpt-[5-9]|o3|o4)/.test(model) && !/nano|audio|realtime|transcribe|tts|search/.test(model)
}

/** True if an Anthropic model can search the web while it answers. */
export function canAnthropicSearch(model: string): boolean {
  return !/^claude-(2|instant|3-(haiku|sonnet|opus)|3-5-sonnet)/.test(model)
}

/**
 * Returns how a model searches the web: by itself while it answers, by another model of its provider, or undefined if
 * neither.
 */
export function searchOf({ provider, model }: ModelName, openaiBaseUrl?: string): "itself" | "by model" | undefined {
  if (provider === "groq") return "by model"
  const isItself =
    (provider === "anthropic" && canAnthropicSearch(model)) ||
    (provider === "openai" && canOpenAiSearch(model, openaiBaseUrl))
  return isItself ? "itself" : undefined
}
