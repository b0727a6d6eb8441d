import { providerIds } from "@switchyard/core/models/providers/providers"
import { useQueries } from "@tanstack/react-query"
import { type Decoded, flag, list, object, oneOf, orNull, text } from "../../api/decode.ts"
import { useResponse } from "../context/requests.ts"
import { useBrowser, useStudio } from "../context/studio.ts"

const Provider = object({
  id: oneOf(...providerIds),
  name: text,
  ready: flag,
  key: oneOf("request", "saved", "environment", "account", "none"),
  account: orNull(text),
  agent: orNull(text),
  needs_key: flag,
  default_model: orNull(text),
  variable: orNull(text),
})
const Providers = object({ default_model: text, providers: list(Provider) })
const Models = object({
  models: list(object({ name: text, title: orNull(text), sees_images: orNull(flag) })),
  complete: flag,
})

export type ListedModels = Decoded<typeof Models>
export interface ModelProvider extends Decoded<typeof Provider> {
  /** True if this tab has a key for it that the server doesn't save. */
  own: boolean
}

const LIST_FRESH_MS = 5000

/** Returns model providers as the server knows them, and the model for runs that don't name one. */
export function useProviderList() {
  return useResponse(["models"], "GET /v1/models", { response: Providers }, { staleTime: LIST_FRESH_MS })
}

/** Returns model providers, usable ones first. */
export function useModelProviders() {
  const keyed = useBrowser((state) => state.keyed)
  const { data, error, refetch } = useProviderList()
  const all = (data?.providers ?? []).map((provider): ModelProvider => {
    const own = keyed.some((id) => id === provider.id)
    // A key alone doesn't make a local model server ready.
    return { ...provider, own, ready: provider.ready || (own && provider.needs_key) }
  })
  const providers = all.toSorted((a, b) => rankOf(a) - rankOf(b))
  return { providers, known: data !== undefined, error, refetch }
}

/**
 * Ranks providers: first those with a key of the user's own, then others that are ready, with the demo last of these.
 */
function rankOf({ own, ready, key, id }: ModelProvider): number {
  if (!ready) return 3
  if (own || key === "saved") return 0
  return id === "scripted" ? 2 : 1
}

const FRESH_MS = 60_000

/** Returns the models listed by each of these providers, requested with this browser's key for it. */
export function useModelLists(providers: ModelProvider[]) {
  const { api, keys } = useStudio()
  return useQueries({
    queries: providers.map(({ id, own }) => ({
      queryKey: ["models", id, own],
      retry: false,
      staleTime: FRESH_MS,
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.call("GET /v1/models/{provider}", {
          path: { provider: id },
          modelKey: own ? keys.read(id) : null,
          response: Models,
          signal,
        }),
    })),
  })
}

/** Describes where a run with this provider's model gets its key, for example `your key`. */
export function keyLabel({ own, ready, key, account, needs_key, id }: ModelProvider): string {
  if (own || key === "saved") return "your key"
  if (id === "scripted") return "built in"
  if (id === "claude-code") return "its own login"
  if (key === "environment") return "server's key"
  if (key === "account") return `account ${account}`
  if (!needs_key) return ready ? "no key needed" : "not set up"
  return "no key"
}
