import { type ProviderId, parseModelName } from "./names.ts"

/** Each provider's small model, for summaries and commit messages, or null if it has none that is better for that. */
const SMALL_MODELS: Record<ProviderId, string | null> = {
  anthropic: "claude-haiku-4-5",
  openai: "gpt-5-mini",
  groq: null,
  local: null,
  scripted: null,
}

/** Returns the same provider's model for small tasks. */
export function smallModelOf(name: string): string {
  const { provider } = parseModelName(name, "general")
  const small = SMALL_MODELS[provider]
  return small === null ? name : `${provider}/${small}`
}
