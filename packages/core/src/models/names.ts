import { AppError } from "../errors.ts"

export type ProviderId = "groq" | "openai" | "anthropic" | "local" | "scripted"

/** Surface that named a model. The workflow endpoints read short names as Groq's, all others read them by family. */
export type ModelSurface = "workflow" | "general"

export interface ModelName {
  provider: ProviderId
  /** The provider's own name of the model. */
  model: string
}

export const defaultModelName = "groq/openai/gpt-oss-120b"
export const demoModelName = "scripted/demo"

/** Placeholder for a key in processes that only need to know that workers have one. */
export const keyOfTheWorker = "known-to-the-worker"

const providers = {
  groq: true,
  openai: true,
  anthropic: true,
  local: true,
  scripted: true,
} satisfies Record<ProviderId, true>

/** Splits `provider/model`, or finds the provider of a shorter name. Throws `invalid_request` for an unknown name. */
export function parseModelName(name: string, surface: ModelSurface): ModelName {
  const trimmed = name.trim()
  if (!/^[\x21-\x7e]{1,200}$/.test(trimmed)) reject(name, "is not a model name")

  const slash = trimmed.indexOf("/")
  // Compared in lower case, so that "Anthropic/…" isn't read as a Groq model and its key sent to Groq.
  const first = slash < 0 ? "" : trimmed.slice(0, slash).toLowerCase()
  const rest = trimmed.slice(slash + 1)

  if (first === "claude-code") reject(name, "names a command-line agent, which can't be used as a model yet")
  if (surface === "workflow" && first === "openai" && rest.startsWith("gpt-oss-")) {
    return { provider: "groq", model: `openai/${rest}` }
  }
  if (isProvider(first)) {
    if (rest === "") reject(name, "names a provider but no model")
    return { provider: first, model: rest }
  }
  if (surface === "workflow") return { provider: "groq", model: trimmed }
  if (slash < 0 && /^claude/i.test(trimmed)) return { provider: "anthropic", model: trimmed }
  if (slash < 0 && /^(gpt|o1|o3)/i.test(trimmed)) return { provider: "openai", model: trimmed }
  return reject(name, "has no known provider")
}

function isProvider(segment: string): segment is ProviderId {
  return Object.hasOwn(providers, segment)
}

function reject(name: string, why: string): never {
  const displayed = name.slice(0, 100)
  const known = Object.keys(providers).join(", ")
  throw new AppError(
    "invalid_request",
    `Model "${displayed}" ${why}. Use provider/model; the providers are ${known}.`,
    {
      model: displayed,
    },
  )
}
