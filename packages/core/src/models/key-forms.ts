import type { ProviderId } from "./names.ts"

/** A company whose API keys have a known form, or a kind of token that isn't an API key. */
export type KeyIssuer = "anthropic" | "groq" | "openai" | "google" | "openrouter" | "xai" | "claude_subscription"

interface KeyForm {
  /** Description of a key of this form, for people. */
  described: string
  /** Prefix of its keys, for people. */
  prefix: string
  form: RegExp
  /** Domain of its own API, or null if no API accepts it from us. */
  domain: string | null
}

/**
 * Table of all key forms. A form is listed only if no other company issues such keys. A plain `sk-…` may be OpenAI's,
 * but also DeepSeek's or a proxy's. All such OpenAI keys contain `T3BlbkFJ`, which is "OpenAI" in base64.
 */
const keyForms = {
  anthropic: { described: "an Anthropic key", prefix: "sk-ant-", form: /^sk-ant-(?!oat)/, domain: "anthropic.com" },
  claude_subscription: {
    described: "the token of a Claude subscription",
    prefix: "sk-ant-oat",
    form: /^sk-ant-oat/,
    domain: null,
  },
  groq: { described: "a Groq key", prefix: "gsk_", form: /^gsk_/, domain: "groq.com" },
  openai: {
    described: "an OpenAI key",
    prefix: "sk-proj-",
    form: /^sk-(?:(?:proj|svcacct|admin)-|\w*T3BlbkFJ)/,
    domain: "openai.com",
  },
  google: { described: "a Google key", prefix: "AIza", form: /^AIza/, domain: "googleapis.com" },
  openrouter: { described: "an OpenRouter key", prefix: "sk-or-", form: /^sk-or-/, domain: "openrouter.ai" },
  xai: { described: "an xAI key", prefix: "xai-", form: /^xai-/, domain: "x.ai" },
} satisfies Record<KeyIssuer, KeyForm>

const issuerIds = Object.keys(keyForms) as KeyIssuer[]

export interface KeyReceiver {
  /** Company whose keys it accepts, or null for any company. */
  issuer: KeyIssuer | null
  /** Present if the base URL may be another company's API, which then also accepts that company's keys. */
  baseUrl?: string | null
}

/** Returns the company that issued a key, or undefined if its form doesn't show it. */
export function keyIssuer(key: string): KeyIssuer | undefined {
  const trimmed = key.trim()
  return issuerIds.find((issuer) => keyForms[issuer].form.test(trimmed))
}

/** Returns the company whose API has this URL. */
export function issuerAt(url: string | null | undefined): KeyIssuer | null {
  const host = URL.parse(url ?? "")?.hostname ?? ""
  const isServedBy = (issuer: KeyIssuer) => {
    const { domain } = keyForms[issuer]
    return domain !== null && `.${host}`.endsWith(`.${domain}`)
  }
  return issuerIds.find(isServedBy) ?? null
}

/** Returns the company that issued a key if it clearly isn't the receiver's. Such a key must not be sent. */
export function foreignIssuer(key: string, { issuer, baseUrl }: KeyReceiver): KeyIssuer | undefined {
  const found = keyIssuer(key)
  return found === undefined || found === issuer || found === issuerAt(baseUrl) ? undefined : found
}

/**
 * Returns the receiver of a model provider's key. A different base URL doesn't change a provider's company, except for
 * `local`.
 */
export function keyReceiver(provider: ProviderId, baseUrl?: string): KeyReceiver {
  return { issuer: issuers[provider], baseUrl: provider === "local" ? baseUrl : null }
}

/** Describes a key, for example as `an Anthropic key (sk-ant-…)`. */
export function describeKey(issuer: KeyIssuer): string {
  const { described, prefix } = keyForms[issuer]
  return `${described} (${prefix}…)`
}

/** Returns why a text isn't an API key although it looks like one, or undefined if it may be one. */
export function whyNoApiKey(key: string): string | undefined {
  const issuer = keyIssuer(key)
  if (issuer !== "claude_subscription") return undefined
  return `This is ${describeKey(issuer)} and not an API key. Use a key of the Claude Console instead (sk-ant-api…).`
}

const issuers = {
  groq: "groq",
  openai: "openai",
  anthropic: "anthropic",
  local: null,
  scripted: null,
} satisfies Record<ProviderId, KeyIssuer | null>
