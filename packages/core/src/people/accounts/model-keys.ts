import { cliOfCompany } from "../../agents/clis/clis.ts"
import { foreignIssuer, keyReceiver } from "../../models/key-forms.ts"
import type { ModelSurface } from "../../models/names.ts"
import type { ProviderId } from "../../models/providers/providers.ts"
import { type ModelsConfig, providerWithoutKey } from "../../models/resolve.ts"
import type { Accounts } from "./accounts.ts"

export interface AccountKey {
  account: string
  apiKey: string
}

/**
 * Returns the key of the owner's first account with a provider, for runs that have no other key for that provider's
 * models. Skips accounts with their own base URL, and providers whose base URL is overridden in this installation,
 * because a key must only be sent to the host that it was issued for.
 */
export async function accountKey(
  deps: { accounts: Accounts; models: ModelsConfig },
  owner: string,
  provider: ProviderId,
  options: { signal?: AbortSignal },
): Promise<AccountKey | undefined> {
  const agent = cliOfCompany(provider)
  if (!agent || deps.models.providers?.[provider]?.baseUrl) return undefined
  for (const { name, provider: of, has_key, base_url } of await deps.accounts.list(owner, options)) {
    if (of !== agent || !has_key || base_url !== null) continue
    const apiKey = (await deps.accounts.credentials(owner, name, options))?.apiKey
    if (apiKey && isUsable(provider, apiKey)) return { account: name, apiKey }
  }
  return undefined
}

/** Returns the owner's account and its key for a model, if the installation has no key for that model. */
export async function missingKey(
  deps: { accounts: Accounts; models: ModelsConfig },
  owner: string,
  named: { name?: string; surface: ModelSurface },
  options: { signal?: AbortSignal },
): Promise<AccountKey | undefined> {
  const provider = providerWithoutKey(deps.models, named)
  return provider && accountKey(deps, owner, provider, options)
}

/**
 * True if the key belongs to the provider. Accounts created by earlier versions may have another company's key or a
 * subscription token.
 */
function isUsable(provider: ProviderId, apiKey: string): boolean {
  return foreignIssuer(apiKey, keyReceiver(provider)) === undefined
}
