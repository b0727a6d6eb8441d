import type { ProviderId } from "./names.ts"

/** A company whose API keys are known by their form. */
export type KeyIssuer = "anthropic" | "groq" | "openai" | "google" | "openrouter" | "xai"

interface KeyForm {
  name: string
  /** The beginning of its keys, for people. */
  prefix: string
  form: RegExp
  /** The domain of its own API. */
  domain: string
}

/**
 * The one table of key forms. A form is in it only if nobody else issues keys that look so: a plain `sk-…` may be OpenAI's,
 * and is as well DeepSeek's or a proxy's own; all of OpenAI's that begin so have `T3BlbkFJ` inside, which is "OpenAI".
 */
const keyForms = {
  anthropic: { name: "Anthropic", prefix: "sk-ant-", form: /^sk-ant-/, domain: "anthropic.com" },
  groq: { name: "Groq", prefix: "gsk_", form: /^gsk_/, domain: "groq.com" },
  openai: {
    name: "OpenAI",
    prefix: "sk-proj-",
    form: /^sk-(?:(?:proj|svcacct|admin)-|\w*T3BlbkFJ)/,
    domain: "openai.com",
  },
  google: { name: "Google", prefix: "AIza", form: /^AIza/, domain: "googleapis.com" },
  openrouter: { name: "OpenRouter", prefix: "sk-or-", form: /^sk-or-/, domain: "openrouter.ai" },
  xai: { name: "xAI", prefix: "xai-", form: /^xai-/, domain: "x.ai" },
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
  const isServedBy = (issuer: KeyIssuer) => `.${host}`.endsWith(`.${keyForms[issuer].domain}`)
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
  const { name, prefix } = keyForms[issuer]
  return `${/^[AOx]/.test(name) ? "an" : "a"} ${name} key (${prefix}…)`
}

const issuers = {
  groq: "groq",
  openai: "openai",
  anthropic: "anthropic",
  local: null,
  scripted: null,
} satisfies Record<ProviderId, KeyIssuer | null>
