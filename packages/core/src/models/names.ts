import { AppError } from "../errors.ts"
import { modelProviders, type ProviderId, providerIds } from "./providers/providers.ts"

/**
 * Origin of a model name. The workflow endpoints treat short names as Groq's; everything else derives the
 * provider from the model family.
 */
export type ModelSurface = "workflow" | "general"

export interface ModelName {
  provider: ProviderId
  /** The provider's own model name. */
  model: string
}

/** Placeholder for a provider's key, in processes that only need to know that the workers have the key. */
export const keyOfTheWorker = "known-to-the-worker"

/** Splits `provider/model`, or derives the provider of a shorter name. Throws `invalid_request` for an unknown name. */
export function parseModelName(name: string, surface: ModelSurface): ModelName {
  const trimmed = name.trim()
  if (!/^[\x21-\x7e]{1,200}$/.test(trimmed)) reject(name, "is not a model name")

  const slash = trimmed.indexOf("/")
  // Compare case-insensitively: otherwise "Anthropic/…" would be treated as a Groq model and its key sent to Groq.
  const first = slash < 0 ? "" : trimmed.slice(0, slash).toLowerCase()
  const rest = trimmed.slice(slash + 1)

  if (first === "claude-code") reject(name, "is a command-line agent, which can't be used as a model yet")
  if (surface === "workflow" && first === "openai" && rest.startsWith("gpt-oss-")) {
    return { provider: "groq", model: `openai/${rest}` }
  }
  const named = providerIds.find((id) => id === first)
  if (named) {
    if (rest === "") reject(name, "names a provider but no model")
    return { provider: named, model: rest }
  }
  if (surface === "workflow") return { provider: "groq", model: trimmed }
  const provider = slash < 0 ? providerIds.find((id) => modelProviders[id].shortNames?.test(trimmed)) : undefined
  return provider ? { provider, model: trimmed } : reject(name, "doesn't match a known provider")
}

/** Returns the same provider's model for small tasks, or the model itself if there's none. */
export function smallModelOf(name: string): string {
  const { provider } = parseModelName(name, "general")
  const { smallModel } = modelProviders[provider]
  return smallModel === undefined ? name : `${provider}/${smallModel}`
}

function reject(name: string, why: string): never {
  const displayed = name.slice(0, 100)
  const known = providerIds.join(", ")
  throw new AppError(
    "invalid_request",
    `Model "${displayed}" ${why}. Use provider/model; the providers are ${known}.`,
    {
      model: displayed,
    },
  )
}
