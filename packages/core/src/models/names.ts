import { AppError } from "../errors.ts"
import { modelProviders, type ProviderId, providerIds } from "./providers/providers.ts"

/**
 * Source of a model name. The workflow endpoints treat short names as Groq's; all others derive the provider from the
 * model family.
 */
export type ModelSurface = "workflow" | "general"

export interface ModelName {
  provider: ProviderId
  /** The provider's own model name. */
  model: string
}

/** Placeholder for a provider's key in processes that only have to know that the workers have the key. */
export const keyOfTheWorker = "known-to-the-worker"

/**
 * Programs whose names people use as model names. Excludes programs that share their name with models, such as Qwen.
 */
const AGENTS: ReadonlySet<string> = new Set(["codex", "gemini", "vibe"])

/** Splits `provider/model`, or derives the provider of a shorter name. Throws `invalid_request` for an unknown name. */
export function parseModelName(name: string, surface: ModelSurface): ModelName {
  const trimmed = name.trim()
  if (!/^[\x21-\x7e]{1,200}$/.test(trimmed)) reject(name, "is not a model name")

  const slash = trimmed.indexOf("/")
  // Compare case-insensitively. Otherwise, "Anthropic/…" would be treated as a Groq model, and its key sent to Groq.
  const prefix = slash < 0 ? "" : trimmed.slice(0, slash).toLowerCase()
  const rest = trimmed.slice(slash + 1)
  const first = prefix === "claude" ? "claude-code" : prefix

  if (AGENTS.has(slash < 0 ? trimmed.toLowerCase() : first)) {
    const way = "Give the agent a task, or let it coordinate a team. Only claude-code/… can be a model."
    throw new AppError("invalid_request", `"${name.slice(0, 100)}" is an agent's program, not a model. ${way}`, {
      model: name.slice(0, 100),
    })
  }
  if (surface === "workflow" && first === "openai" && rest.startsWith("gpt-oss-")) {
    return { provider: "groq", model: `openai/${rest}` }
  }
  if (/^claude(-code)?$/i.test(trimmed)) reject(name, "names a program but no model, such as claude-code/sonnet")
  const named = providerIds.find((id) => id === first)
  if (named) {
    if (rest === "") reject(name, "names a provider but no model")
    return { provider: named, model: rest }
  }
  if (surface === "workflow") return { provider: "groq", model: trimmed }
  const provider = slash < 0 ? providerIds.find((id) => modelProviders[id].shortNames?.test(trimmed)) : undefined
  return provider ? { provider, model: trimmed } : reject(name, "doesn't match a known provider")
}

/** Returns the same provider's model for small tasks, or this model if there is none. */
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
