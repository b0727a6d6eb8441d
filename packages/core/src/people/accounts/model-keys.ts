import { cliOfCompany } from "../../agents/clis/clis.ts"
import { foreignIssuer, keyReceiver } from "../../models/key-forms.ts"
import { type ModelSurface, parseModelName } from "../../models/names.ts"
import { keyedProviders, modelProviders, type ProviderId } from "../../models/providers/providers.ts"
import { demoModelName } from "../../models/providers/scripted.ts"
import { defaultModel, installedProvider, type ModelsConfig } from "../../models/resolve.ts"
import type { Accounts } from "./accounts.ts"

interface Deps {
  accounts: Accounts
  models: ModelsConfig
}

/** A model named in a request, and the key to use for it. */
interface KeyedRequest {
  name: string | undefined
  surface: ModelSurface
  apiKey: string | undefined
  /** Name of the account whose key is used. */
  account?: string | undefined
}

/**
 * Adds a key to a request that has none. This is the owner's saved key for the model's provider. If there is none, and
 * the installation has no key either, it is the key of an account. A request that names no model gets the default model
 * of a provider with a saved key, if the installation has no key for its own default.
 */
export async function withOwnersKey(
  deps: Deps,
  owner: string,
  request: Pick<KeyedRequest, "name" | "surface" | "apiKey">,
  options: { signal?: AbortSignal },
): Promise<KeyedRequest> {
  const { surface, apiKey } = request
  if (apiKey?.trim()) return request
  const name = request.name?.trim() || (await ownersDefaultModel(deps, owner, options))
  const { provider } = parseModelName(name, surface)
  const { kind } = modelProviders[provider]
  if (kind !== "hosted" && kind !== "own_server") return { name, surface, apiKey }
  const saved = await deps.accounts.keys.open(owner, provider, options)
  if (saved !== undefined) return { name, surface, apiKey: saved }
  if (kind !== "hosted" || installedProvider(deps.models, provider).hasKey) return { name, surface, apiKey }
  const found = await accountKey(deps, owner, provider, options)
  return { name, surface, apiKey: found?.apiKey, account: found?.account }
}

/** Returns the model for an owner's requests that don't name a model. */
export async function ownersDefaultModel(
  { accounts, models }: Deps,
  owner: string,
  options: { signal?: AbortSignal },
): Promise<string> {
  const usual = defaultModel(models)
  const { hasKey, needsKey } = installedProvider(models, parseModelName(usual, "general").provider)
  if (usual !== demoModelName && (hasKey || !needsKey)) return usual
  const saved = (await accounts.keys.list(owner, options)).map(({ provider }) => provider)
  const provider = keyedProviders.find((id) => saved.includes(id) && modelProviders[id].defaultModel !== null)
  return (provider && modelProviders[provider].defaultModel) ?? usual
}

/** True if the owner has a key for a provider's models. The installation's keys don't count. */
export async function hasOwnersKey(
  deps: Deps,
  owner: string,
  provider: ProviderId,
  options: { signal?: AbortSignal },
): Promise<boolean> {
  const saved = await deps.accounts.keys.list(owner, options)
  if (saved.some((key) => key.provider === provider)) return true
  return (await accountKey(deps, owner, provider, options)) !== undefined
}

/**
 * Returns the key of the owner's first account with a provider, for runs that have no other key for that provider's
 * models. Skips accounts that have their own base URL, and providers whose base URL is overridden in this installation.
 * A key must only be sent to the host that it was issued for.
 */
export async function accountKey(
  deps: Deps,
  owner: string,
  provider: ProviderId,
  options: { signal?: AbortSignal },
): Promise<{ account: string; apiKey: string } | undefined> {
  const agent = cliOfCompany(provider)
  if (!agent || deps.models.providers?.[provider]?.baseUrl) return undefined
  for (const { name, provider: of, has_key, base_url } of await deps.accounts.list(owner, options)) {
    if (of !== agent || !has_key || base_url !== null) continue
    const apiKey = (await deps.accounts.credentials(owner, name, options))?.apiKey
    if (apiKey && isUsable(provider, apiKey)) return { account: name, apiKey }
  }
  return undefined
}

/**
 * True if the key belongs to the provider. Accounts created by earlier versions may contain a key of another company or
 * a subscription token.
 */
function isUsable(provider: ProviderId, apiKey: string): boolean {
  return foreignIssuer(apiKey, keyReceiver(provider)) === undefined
}
