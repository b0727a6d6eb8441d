import type { Operation } from "@switchyard/client/operations"
import { type QueryKey, type UseQueryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Api, Call } from "../../api/client.ts"
import { useStudio } from "./studio.ts"

/** Returns the response to a request, cached under `queryKey`. */
export function useResponse<O extends Operation, T>(
  queryKey: QueryKey,
  operation: O,
  call: Call<O, T>,
  options?: Omit<UseQueryOptions<T>, "queryKey" | "queryFn">,
) {
  const { api } = useStudio()
  return useQuery({ ...options, queryKey, queryFn: ({ signal }) => api.call(operation, { ...call, signal }) })
}

/**
 * Returns a mutation that changes something on the server. Whatever its outcome, the cache entries under `stale` are
 * refetched.
 */
export function useChange<T, V = void>(change: (api: Api, variables: V) => Promise<T>, ...stale: QueryKey[]) {
  const { api } = useStudio()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (variables: V) => change(api, variables),
    onSettled: () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

/** Returns a mutation whose response replaces the cache entry under `queryKey`. If it fails, that entry is refetched. */
export function useReplacement<T, V>(queryKey: QueryKey, replace: (api: Api, variables: V) => Promise<T>) {
  const { api } = useStudio()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (variables: V) => replace(api, variables),
    // An offline browser may still reach a server on its own machine.
    networkMode: "always",
    onSuccess: (stored) => client.setQueryData(queryKey, stored),
    // Another tab may have changed it.
    onError: () => client.invalidateQueries({ queryKey }),
  })
}
