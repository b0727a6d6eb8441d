import type { CliId } from "../../agents/clis/schema.ts"
import type { ModelCatalog } from "../../models/catalog.ts"
import { ModelError } from "../../models/errors.ts"
import type { ProviderId } from "../../models/names.ts"
import type { Credentials } from "./accounts.ts"

/** The APIs that list an agent's models; agents that aren't here have none that can be asked in this way. */
const listings: Partial<Record<CliId, { provider: ProviderId; baseUrl?: string }>> = {
  claude: { provider: "anthropic" },
  codex: { provider: "openai" },
  qwen: { provider: "openai" },
  vibe: { provider: "local", baseUrl: "https://api.mistral.ai/v1" },
}

/** The models that an account's agent can be told to use, by the names that it takes; `default` is always the last. */
export async function accountModels(
  { catalog, mayAsk }: { catalog: ModelCatalog; mayAsk: (url: string) => boolean },
  { provider: cli, apiKey, baseUrl, model }: Credentials,
  options: { signal: AbortSignal },
): Promise<{ models: string[]; complete: boolean }> {
  const listing = listings[cli]
  const isAskable = listing && apiKey !== null && (baseUrl === null || mayAsk(baseUrl))
  const access = isAskable && { provider: listing.provider, apiKey, baseUrl: baseUrl ?? listing.baseUrl }
  const listed = access ? await asked(catalog, access, options) : undefined
  const names = (listed?.models ?? []).map(({ name }) => name.slice(name.indexOf("/") + 1))
  return {
    models: [...new Set([...names, ...(model === null ? [] : [model]), "default"])],
    complete: listed?.complete ?? false,
  }
}

/** Undefined where the provider can't be asked at the moment, or refuses the key. */
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
