import { type ProviderId, parseModelName } from "./names.ts"

/** A provider's small model, for summaries and messages of commits; null where it has one that is no better for that. */
const SMALL_MODELS: Record<ProviderId, string | null> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-5-mini",
  groq: null,
  local: null,
  scripted: null,
}

/** The model of the same provider that does small tasks in the place of a named one. */
export function smallModelOf(name: string): string {
  const { provider } = parseModelName(name, "general")
  const small = SMALL_MODELS[provider]
  return small === null ? name : `${provider}/${small}`
}
