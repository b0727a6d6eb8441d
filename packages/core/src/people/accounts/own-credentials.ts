import { clis, loginNotice } from "../../agents/clis/clis.ts"
import { loginFault } from "../../agents/runner/login-files.ts"
import { AppError } from "../../errors.ts"
import { describeKey, foreignIssuer, issuerAt, whyNoApiKey } from "../../models/key-forms.ts"
import type { LoginChange, NewAccount } from "./schema.ts"

/**
 * Throws `validation_error` for an invalid API key. A key is sent to the account's base URL, or else to the agent's
 * usual one, and must not clearly belong to another company than that URL's or the agent's. Only opencode knows some
 * URLs that we don't.
 */
export function requireOwnKey({
  provider,
  api_key,
  base_url,
  model,
}: Pick<NewAccount, "provider" | "api_key" | "base_url" | "model">): void {
  const notKey = whyNoApiKey(api_key ?? "")
  if (notKey !== undefined) throw new AppError("validation_error", notKey, { provider })
  const usual = clis[provider].defaultApi(model ?? null)
  const address = base_url ?? usual
  if (!api_key || address === null) return
  const issuer = foreignIssuer(api_key, { issuer: issuerAt(usual), baseUrl: address })
  if (issuer === undefined) return
  const message = `This is ${describeKey(issuer)}, which ${clis[provider].title} would send to ${new URL(address).host}.`
  throw new AppError("validation_error", message, { provider, key_of: issuer })
}

/**
 * Throws `validation_error` for files that are not a login of the agent, and `consent_required` without its owner's
 * consent. A login is only for its vendor's own API, and the agent can do with it what its notice says.
 */
export function requireOwnLogin(
  { provider, api_key, base_url }: Pick<NewAccount, "provider" | "api_key" | "base_url">,
  { files, consent }: LoginChange,
): void {
  const { login } = clis[provider]
  const refuse = (message: string) => new AppError("validation_error", message, { provider })
  if ("refused" in login) throw refuse(login.refused)
  if (api_key) throw refuse("An account can have either an api_key or a login.")
  if (base_url) throw refuse("A login only works with the vendor's own API, so its account can't have a base_url.")
  const fault = loginFault(provider, files)
  if (fault !== undefined) throw refuse(fault)
  if (consent) return
  const message = `${loginNotice(login)} To agree, send "consent": true with the request.`
  throw new AppError("consent_required", message, { provider })
}
