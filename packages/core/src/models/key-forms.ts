import type { KeyForm } from "./providers/provider-facts.ts"
import { modelProviders, type ProviderId, providerIds } from "./providers/providers.ts"

/** A company whose API keys have a known form, or a kind of token that isn't an API key. */
export type KeyIssuer = ProviderId | keyof typeof otherForms

/** Forms of keys that are of no model provider. */
const otherForms = {
  claude_subscription: {
    described: "the token of a Claude subscription",
    prefix: "sk-ant-oat",
    form: /^sk-ant-oat/,
    domain: null,
  },
  google: { described: "a Google key", prefix: "AIza", form: /^AIza/, domain: "googleapis.com" },
  openrouter: { described: "an OpenRouter key", prefix: "sk-or-", form: /^sk-or-/, domain: "openrouter.ai" },
  xai: { described: "an xAI key", prefix: "xai-", form: /^xai-/, domain: "x.ai" },
} satisfies Record<string, KeyForm>

const keyForms: ReadonlyMap<KeyIssuer, KeyForm> = new Map<KeyIssuer, KeyForm>([
  ...providerIds.flatMap((id) => (modelProviders[id].keyForm ? [[id, modelProviders[id].keyForm] as const] : [])),
  ...(Object.keys(otherForms) as (keyof typeof otherForms)[]).map((id) => [id, otherForms[id]] as const),
])

export interface KeyReceiver {
  /** Company whose keys it accepts, or null for any company. */
  issuer: KeyIssuer | null
  /** Present if the base URL may be another company's API, which then also accepts that company's keys. */
  baseUrl?: string | null
}

/** Returns the company that issued a key, or undefined if its form doesn't show it. */
export function keyIssuer(key: string): KeyIssuer | undefined {
  const trimmed = key.trim()
  return [...keyForms].find(([, { form }]) => form.test(trimmed))?.[0]
}

/** Returns the company whose API has this URL. */
export function issuerAt(url: string | null | undefined): KeyIssuer | null {
  const host = URL.parse(url ?? "")?.hostname ?? ""
  const served = [...keyForms].find(([, { domain }]) => domain !== null && `.${host}`.endsWith(`.${domain}`))
  return served?.[0] ?? null
}

/** Returns the company that issued a key if it clearly isn't the receiver's. Such a key must not be sent. */
export function foreignIssuer(key: string, { issuer, baseUrl }: KeyReceiver): KeyIssuer | undefined {
  const found = keyIssuer(key)
  return found === undefined || found === issuer || found === issuerAt(baseUrl) ? undefined : found
}

/**
 * Returns the receiver of a model provider's key. A different base URL doesn't change a provider's company, except for
 * the operator's own server.
 */
export function keyReceiver(provider: ProviderId, baseUrl?: string): KeyReceiver {
  const { kind, keyForm } = modelProviders[provider]
  return { issuer: keyForm ? provider : null, baseUrl: kind === "own_server" ? baseUrl : null }
}

/** Describes a key, for example as `an Anthropic key (sk-ant-…)`. */
export function describeKey(issuer: KeyIssuer): string {
  const { described = "a key", prefix = "" } = keyForms.get(issuer) ?? {}
  return `${described} (${prefix}…)`
}

/** Returns why a text isn't an API key although it looks like one, or undefined if it may be one. */
export function whyNoApiKey(key: string): string | undefined {
  const issuer = keyIssuer(key)
  if (issuer !== "claude_subscription") return undefined
  return `This is ${describeKey(issuer)} and not an API key. Use a key of the Claude Console instead (sk-ant-api…).`
}
