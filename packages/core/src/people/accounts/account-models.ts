import { cliOf } from "../../agents/added/cli-of.ts"
import type { ModelCatalog } from "../../models/catalog.ts"
import { ModelError } from "../../models/errors.ts"
import type { Credentials } from "./accounts.ts"

/** Returns the models that an account's agent can use, by the agent's own names. `default` is always last. */
export async function accountModels(
  { catalog, mayAsk }: { catalog: ModelCatalog; mayAsk: (url: string) => boolean },
  { provider: cli, apiKey, baseUrl, model }: Credentials,
  options: { signal: AbortSignal },
): Promise<{ models: string[]; complete: boolean }> {
  const { modelList: listing } = cliOf(cli)
  const isAskable = listing && apiKey !== null && (baseUrl === null || mayAsk(baseUrl))
  const access = isAskable && { provider: listing.provider, apiKey, baseUrl: baseUrl ?? listing.baseUrl }
  const listed = access ? await asked(catalog, access, options) : undefined
  const names = (listed?.models ?? []).map(({ name }) => name.slice(name.indexOf("/") + 1))
  return {
    models: [...new Set([...names, ...(model === null ? [] : [model]), "default"])],
    complete: listed?.complete ?? false,
  }
}

/** Lists models. Returns undefined if the provider is unreachable or rejects the key. */
async function asked(
  catalog: ModelCatalog,
  access: Parameters<ModelCatalog["list"]>[0],
  options: { signal: AbortSignal },
) {
  try {
    return await catalog.list(access, options)
  } catch (error) {
    if (error instanceof ModelError) return undefined
    throw error
  }
}
