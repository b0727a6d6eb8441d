import type { AddedAgents } from "../../agents/added/added.ts"
import { cliOf } from "../../agents/added/cli-of.ts"
import { BuiltInCli, isBuiltIn, loginNotice } from "../../agents/clis/clis.ts"
import { loginFault } from "../../agents/runner/login-files.ts"
import { AppError } from "../../errors.ts"
import { describeKey, foreignIssuer, issuerAt, whyNoApiKey } from "../../models/key-forms.ts"
import type { LoginChange, NewAccount } from "./schema.ts"

/** Returns the sentence that lists the agents' programs. */
export function knownPrograms(added: AddedAgents): string {
  return `The agents are ${[...BuiltInCli.options.filter((id) => id !== "mock"), ...added.keys()].join(", ")}.`
}

/** Throws `validation_error` if the account's program is unknown, or can't use the account's key or address. */
export function requireProgram(
  added: AddedAgents,
  { provider, api_key, base_url }: Pick<NewAccount, "provider" | "api_key" | "base_url">,
): void {
  if (isBuiltIn(provider)) return
  const refuse = (message: string) => new AppError("validation_error", message, { provider })
  const program = added.get(provider)
  if (!program) throw refuse(`There is no agent ${provider}. ${knownPrograms(added)}`)
  if (api_key && !program.key) throw refuse(`${provider} can't use a key, because its settings have no \`key\`.`)
  if (!api_key && program.key) throw refuse("Accounts with this provider need an api_key.")
  if (base_url) throw refuse(`${provider} can't use a base_url.`)
}

/**
 * Throws `validation_error` if the API key is invalid, or clearly issued by the wrong company. The right company is the
 * agent's, or the company at the URL that receives the key: the account's base URL, or else the agent's default URL.
 * Some URLs are known only to opencode, so the keys for these can't be checked.
 */
export function requireOwnKey({
  provider,
  api_key,
  base_url,
  model,
}: Pick<NewAccount, "provider" | "api_key" | "base_url" | "model">): void {
  const notKey = whyNoApiKey(api_key ?? "")
  if (notKey !== undefined) throw new AppError("validation_error", notKey, { provider })
  const usual = cliOf(provider).defaultApi(model ?? null)
  const address = base_url ?? usual
  if (!api_key || address === null) return
  const issuer = foreignIssuer(api_key, { issuer: issuerAt(usual), baseUrl: address })
  if (issuer === undefined) return
  const message = `This is ${describeKey(issuer)}. It wasn't saved, because ${cliOf(provider).title} would send it to ${new URL(address).host}.`
  throw new AppError("validation_error", message, { provider, key_of: issuer })
}

/**
 * Throws `validation_error` if the files aren't a login for the agent. Also throws it if the account has a key or base
 * URL as well, because a login only works with its vendor's own API. Throws `consent_required` if the owner hasn't
 * agreed to the login's notice.
 */
export function requireOwnLogin(
  { provider, api_key, base_url }: Pick<NewAccount, "provider" | "api_key" | "base_url">,
  { files, consent }: LoginChange,
): void {
  const { login } = cliOf(provider)
  const refuse = (message: string) => new AppError("validation_error", message, { provider })
  if ("refused" in login) throw refuse(login.refused)
  if (api_key) throw refuse("An account can have an api_key or a login, but not both.")
  if (base_url) throw refuse("A login works only with the vendor's own API, so the account can't have a base_url.")
  const fault = loginFault(provider, files)
  if (fault !== undefined) throw refuse(fault)
  if (consent) return
  const message = `${loginNotice(login)} To agree, send "consent": true with the request.`
  throw new AppError("consent_required", message, { provider })
}
