import { cliOfCompany } from "../../agents/clis/clis.ts"
import { keyIssuer } from "../../models/key-forms.ts"
import { modelProviders, type ProviderId, providerIds } from "../../models/providers/providers.ts"
import { installedProvider, isInstalled, type ModelsConfig } from "../../models/resolve.ts"
import type { ModelProviderView } from "../../models/schema.ts"
import type { Accounts } from "./accounts.ts"
import { accountKey } from "./model-keys.ts"

interface Deps {
  accounts: Accounts
  models: ModelsConfig
}

/**
 * Lists the model providers for an owner's runs. Providers that are ready to use come first. `apiKey` is the caller's
 * own key.
 */
export async function listModelProviders(
  deps: Deps,
  owner: string,
  { apiKey = "", ...options }: { apiKey?: string; signal?: AbortSignal },
): Promise<ModelProviderView[]> {
  const allowed = providerIds.filter((id) => {
    const { kind } = modelProviders[id]
    if (kind === "cloud") return installedProvider(deps.models, id).reachable
    return kind === "program" ? isInstalled(deps.models, id) : kind !== "built_in" || deps.models.allowScripted
  })
  const saved = new Set((await deps.accounts.keys.list(owner, options)).map(({ provider }) => provider))
  const views = await Promise.all(
    allowed.map((id) => viewOf(deps, owner, id, { apiKey, isSaved: saved.has(id), ...options })),
  )
  return [...views.filter(({ ready }) => ready), ...views.filter(({ ready }) => !ready)]
}

async function viewOf(
  deps: Deps,
  owner: string,
  id: ProviderId,
  { apiKey, isSaved, ...options }: { apiKey: string; isSaved: boolean; signal?: AbortSignal },
): Promise<ModelProviderView> {
  const { name } = modelProviders[id]
  const { defaultModel, hasKey, needsKey, reachable, variable } = installedProvider(deps.models, id)
  const account = isSaved || hasKey ? undefined : await accountKey(deps, owner, id, options)
  const stored = isSaved ? "saved" : hasKey ? "environment" : account ? "account" : "none"
  const key = keyIssuer(apiKey) === id ? "request" : stored
  return {
    id,
    name,
    ready: reachable && (stored !== "none" || !needsKey),
    key,
    account: key === "account" ? (account?.account ?? null) : null,
    agent: cliOfCompany(id) ?? null,
    needs_key: needsKey,
    default_model: defaultModel,
    variable,
  }
}
