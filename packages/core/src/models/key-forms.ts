import type { KeyForm } from "./providers/provider-facts.ts"
import { modelProviders, type ProviderId, providerIds } from "./providers/providers.ts"

/** A company with a recognisable form of API keys, or a kind of token that isn't an API key. */
export type KeyIssuer = ProviderId | keyof typeof otherForms

/** Key forms that don't belong to any of our model providers. */
const otherForms = {
  claude_subscription: {
    described: "the token of a Claude subscription",
    prefix: "sk-ant-oat",
    form: /^sk-ant-oat/,
    domain: null,
  },
  google: { described: "a Google key", prefix: "AIza", form: /^AIza/, domain: "googleapis.com", agent: "gemini" },
  openrouter: { described: "an OpenRouter key", prefix: "sk-or-", form: /^sk-or-/, domain: "openrouter.ai" },
  xai: { described: "an xAI key", prefix: "xai-", form: /^xai-/, domain: "x.ai" },
} satisfies Record<string, KeyForm>

const keyForms: ReadonlyMap<KeyIssuer, KeyForm> = new Map<KeyIssuer, KeyForm>([
  ...providerIds.flatMap((id) => (modelProviders[id].keyForm ? [[id, modelProviders[id].keyForm] as const] : [])),
  ...(Object.keys(otherForms) as (keyof typeof otherForms)[]).map((id) => [id, otherForms[id]] as const),
])

export interface KeyReceiver {
  /** Company whose keys the receiver accepts. Null for any company. */
  issuer: KeyIssuer | null
  /** Set if the base URL may lead to another company's API. That company's keys are then accepted too. */
  baseUrl?: string | null
}

/** Returns the company that issued a key. Undefined if the key's form doesn't show that. */
export function keyIssuer(key: string): KeyIssuer | undefined {
  const trimmed = key.trim()
  return [...keyForms].find(([, { form }]) => form.test(trimmed))?.[0]
}

/** Returns the company whose API is at this URL. */
export function issuerAt(url: string | null | undefined): KeyIssuer | null {
  const host = URL.parse(url ?? "")?.hostname ?? ""
  const served = [...keyForms].find(([, { domain }]) => domain !== null && `.${host}`.endsWith(`.${domain}`))
  return served?.[0] ?? null
}

/**
 * Returns the issuer of a key that clearly isn't meant for the receiver and therefore must not be sent to it. Undefined
 * for other keys.
 */
export function foreignIssuer(key: string, { issuer, baseUrl }: KeyReceiver): KeyIssuer | undefined {
  const found = keyIssuer(key)
  return found === undefined || found === issuer || found === issuerAt(baseUrl) ? undefined : found
}

/**
 * Returns the receiver of a model provider's key. A custom base URL doesn't change the provider's company, unless it is
 * the operator's own server.
 */
export function keyReceiver(provider: ProviderId, baseUrl?: string): KeyReceiver {
  const { kind, keyForm } = modelProviders[provider]
  return { issuer: keyForm ? provider : null, baseUrl: kind === "own_server" ? baseUrl : null }
}

/** Describes a key for people, for example `an Anthropic key (sk-ant-…)`. */
export function describeKey(issuer: KeyIssuer): string {
  const { described = "a key", prefix = "" } = keyForms.get(issuer) ?? {}
  return `${described} (${prefix}…)`
}

/** Returns the coding agent that uses an issuer's keys, if no model provider does. */
export function agentOf(issuer: KeyIssuer): KeyForm["agent"] {
  return keyForms.get(issuer)?.agent
}

/** Replaces everything in a text that looks like an API key of any company. */
export function withoutKeys(text: string): string {
  return text.replace(KEYS, "[api key]")
}

/**
 * Words with a known prefix of keys, or with `sk-`, which many companies use. Also matches keys that are masked with
 * asterisks.
 */
const KEYS = /(?<![A-Za-z0-9])(?:sk-|gsk_|AIza|xai-)[A-Za-z0-9_*.…-]{12,}/g

/** Explains why a key isn't an API key although it looks like one. Returns undefined if it may be an API key. */
export function whyNoApiKey(key: string): string | undefined {
  const issuer = keyIssuer(key)
  if (issuer !== "claude_subscription") return undefined
  return `This is ${describeKey(issuer)}, not an API key. Use a key from the Claude Console instead (sk-ant-api…).`
}
