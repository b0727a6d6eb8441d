import type { Operation } from "@switchyard/client/operations"
import { type QueryKey, type UseQueryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Api, Call } from "../../api/client.ts"
import { useStudio } from "./studio.ts"

/** The response to a request, kept under `queryKey`. */
export function useResponse<O extends Operation, T>(
  queryKey: QueryKey,
  operation: O,
  call: Call<O, T>,
  options?: Omit<UseQueryOptions<T>, "queryKey" | "queryFn">,
) {
  const { api } = useStudio()
  return useQuery({ ...options, queryKey, queryFn: ({ signal }) => api.call(operation, { ...call, signal }) })
}

/** A change of what the server has. Whatever its outcome, what is kept under the keys is loaded anew. */
export function useChange<T, V = void>(change: (api: Api, variables: V) => Promise<T>, ...stale: QueryKey[]) {
  const { api } = useStudio()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (variables: V) => change(api, variables),
    onSettled: () => Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

/** A change whose response takes the place of what is kept under `queryKey`. If it fails, that is loaded anew, unless `keeps`. */
export function useReplacement<T, V>(
  queryKey: QueryKey,
  replace: (api: Api, variables: V) => Promise<T>,
  { keeps = false } = {},
) {
  const { api } = useStudio()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (variables: V) => replace(api, variables),
    // A browser that is offline may still reach a server on its own machine.
    networkMode: "always",
    onSuccess: (stored) => client.setQueryData(queryKey, stored),
    // Another tab may have changed it.
    onError: () => (keeps ? undefined : client.invalidateQueries({ queryKey })),
  })
}
