import { providerIds } from "@switchyard/core/models/providers/providers"
import { useQueries } from "@tanstack/react-query"
import { type Decoded, flag, list, object, oneOf, orNull, text } from "../../api/decode.ts"
import { useResponse } from "../context/requests.ts"
import { useBrowser, useStudio } from "../context/studio.ts"

const Provider = object({
  id: oneOf(...providerIds),
  name: text,
  ready: flag,
  key: oneOf("request", "environment", "account", "none"),
  account: orNull(text),
  needs_key: flag,
  default_model: orNull(text),
  variable: orNull(text),
})
const Providers = object({ default_model: text, providers: list(Provider) })
const Models = object({ models: list(object({ name: text, title: orNull(text) })), complete: flag })

export type ListedModels = Decoded<typeof Models>
export interface ModelProvider extends Decoded<typeof Provider> {
  /** True if this browser has a key for it. */
  own: boolean
}

/** Returns model providers, usable ones first. */
export function useModelProviders() {
  const keyed = useBrowser((state) => state.keyed)
  const { data, error, refetch } = useResponse(["models"], "GET /v1/models", { response: Providers })
  const all = (data?.providers ?? []).map((provider): ModelProvider => {
    const own = keyed.some((id) => id === provider.id)
    // A key alone doesn't make a local model server ready.
    return { ...provider, own, ready: provider.ready || (own && provider.needs_key) }
  })
  const providers = all.toSorted((a, b) => rankOf(a) - rankOf(b))
  return { providers, known: data !== undefined, error, refetch }
}

/**
 * Ranks providers: first those with this browser's own key, then others that are ready, with the demo last of these.
 */
function rankOf({ own, ready, id }: ModelProvider): number {
  if (!ready) return 3
  if (own) return 0
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
  if (own) return "your key"
  if (id === "scripted") return "built in"
  if (key === "environment") return "server's key"
  if (key === "account") return `account ${account}`
  if (!needs_key) return ready ? "no key needed" : "not set up"
  return "no key"
}
