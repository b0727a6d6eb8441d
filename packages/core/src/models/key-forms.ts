import type { ProviderId } from "./names.ts"

/** A company whose API keys are known by their form, or a kind of token that isn't an API key of any. */
export type KeyIssuer = "anthropic" | "groq" | "openai" | "google" | "openrouter" | "xai" | "claude_subscription"

interface KeyForm {
  /** A key of this form, for people. */
  described: string
  /** The beginning of its keys, for people. */
  prefix: string
  form: RegExp
  /** The domain of its own API; null where no API takes it from us. */
  domain: string | null
}

/**
 * The one table of key forms. A form is in it only if nobody else issues keys that look so: a plain `sk-…` may be OpenAI's,
 * and is as well DeepSeek's or a proxy's own; all of OpenAI's that begin so have `T3BlbkFJ` inside, which is "OpenAI".
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

/** The receiver of a key. */
export interface KeyReceiver {
  /** The company whose keys it takes; null where it takes any company's. */
  issuer: KeyIssuer | null
  /** Given where the address may be the API of another company, which then takes that company's keys, too. */
  baseUrl?: string | null
}

/** The company that issued a key; undefined where its form doesn't say. */
export function keyIssuer(key: string): KeyIssuer | undefined {
  const trimmed = key.trim()
  return issuerIds.find((issuer) => keyForms[issuer].form.test(trimmed))
}

/** The company whose API an address is. */
export function issuerAt(url: string | null | undefined): KeyIssuer | null {
  const host = URL.parse(url ?? "")?.hostname ?? ""
  const isServedBy = (issuer: KeyIssuer) => {
    const { domain } = keyForms[issuer]
    return domain !== null && `.${host}`.endsWith(`.${domain}`)
  }
  return issuerIds.find(isServedBy) ?? null
}

/** The company that issued a key, where that is clearly another than the receiver; such a key must not be sent. */
export function foreignIssuer(key: string, { issuer, baseUrl }: KeyReceiver): KeyIssuer | undefined {
  const found = keyIssuer(key)
  return found === undefined || found === issuer || found === issuerAt(baseUrl) ? undefined : found
}

/** The receiver of a model provider's key. Another base URL doesn't make another company of a provider, but for `local`. */
export function keyReceiver(provider: ProviderId, baseUrl?: string): KeyReceiver {
  return { issuer: issuers[provider], baseUrl: provider === "local" ? baseUrl : null }
}

/** For example `an Anthropic key (sk-ant-…)`. */
export function describeKey(issuer: KeyIssuer): string {
  const { described, prefix } = keyForms[issuer]
  return `${described} (${prefix}…)`
}

/** The reason for which a text isn't an API key at all, though it looks much like one; undefined for what may be one. */
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
