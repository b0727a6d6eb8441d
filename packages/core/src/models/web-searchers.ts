import type { ModelName } from "./names.ts"

export const OPENAI = "https://api.openai.com/v1"

/** Whether the address is OpenAI's own, for the world or for a region: only there all of its API is known to be. */
export function isOpenAi(baseUrl: string): boolean {
  return /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/.test(baseUrl)
}

/** Whether a model of OpenAI's searches the web while it answers. */
export function canOpenAiSearch(model: string, baseUrl = OPENAI): boolean {
  return isOpenAi(baseUrl) && isSearching(model)
}

/** https://developers.openai.com/api/docs/guides/tools-web-search: the models that search in a response. */
function isSearching(model: string): boolean {
  return /^(gpt-4o|gpt-4\.1|gpt-[5-9]|o3|o4)/.test(model) && !/nano|audio|realtime|transcribe|tts|search/.test(model)
}

/** Whether a model of Anthropic's does. */
export function canAnthropicSearch(model: string): boolean {
  return !/^claude-(2|instant|3-(haiku|sonnet|opus)|3-5-sonnet)/.test(model)
}

/** The way in which a model searches the web: while it answers, or by another model of its provider; else neither. */
export function searchOf({ provider, model }: ModelName, openaiBaseUrl?: string): "itself" | "by model" | undefined {
  if (provider === "groq") return "by model"
  const isItself =
    (provider === "anthropic" && canAnthropicSearch(model)) ||
    (provider === "openai" && canOpenAiSearch(model, openaiBaseUrl))
  return isItself ? "itself" : undefined
}
