import { agentOf, describeKey, keyIssuer, whyNoApiKey } from "./key-forms.ts"
import type { KeyForm } from "./providers/provider-facts.ts"
import { type ProviderId, providerIds } from "./providers/providers.ts"

/** Maximum length of a key that the server accepts. Known providers' keys are far shorter. */
const MAX_KEY_CHARS = 4000

/** A pasted key and where it belongs. */
export type RecognizedKey =
  /** Key of a model provider. */
  | { type: "provider"; provider: ProviderId }
  /** Key that only a coding agent uses. */
  | { type: "agent"; agent: NonNullable<KeyForm["agent"]>; described: string }
  /** Key whose form several companies use. */
  | { type: "ambiguous" }
  /** Text that can't be used as a key. */
  | { type: "unusable"; fault: string }

/** Recognizes a key by its form, without trying it. */
export function recognizeKey(key: string): RecognizedKey {
  if (!/^[\x21-\x7e]+$/.test(key)) return { type: "unusable", fault: "A key can't contain spaces or line breaks." }
  if (key.length > MAX_KEY_CHARS) return { type: "unusable", fault: "This is too long for a key." }
  const notKey = whyNoApiKey(key)
  if (notKey !== undefined) return { type: "unusable", fault: notKey }
  const issuer = keyIssuer(key)
  if (issuer === undefined) return { type: "ambiguous" }
  const provider = providerIds.find((id) => id === issuer)
  if (provider) return { type: "provider", provider }
  const agent = agentOf(issuer)
  if (agent) return { type: "agent", agent, described: describeKey(issuer) }
  const fault = `This is ${describeKey(issuer)}. To use it with an agent, add an account with its API base URL.`
  return { type: "unusable", fault }
}

/** Characters that are invisible when pasted: zero-width spaces and marks, and the byte order mark. */
const INVISIBLE = /[\u200b-\u200f\u2060\ufeff]/g
const VARIABLE = /^(?:export )?[A-Z][A-Z0-9_]{2,60} ?= ?(?=[^=\s])/
const HEADER = /^(?:authorization: )?bearer |^x-api-key: /i

/**
 * Returns the key in a pasted text, which may be a line of an environment file, a header, or in quotation marks. Returns
 * other texts as they are, without white space around them.
 */
export function keyIn(text: string): string {
  const value = text.replace(INVISIBLE, "").trim().replace(VARIABLE, "").replace(HEADER, "")
  const quote = value[0] ?? ""
  const isQuoted = value.length > 2 && ["'", '"', "`"].includes(quote) && value.endsWith(quote)
  return isQuoted ? value.slice(1, -1).trim() : value
}
