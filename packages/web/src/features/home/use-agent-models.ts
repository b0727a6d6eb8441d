import { useQuery } from "@tanstack/react-query"
import { flag, list, object, text } from "../../api/decode.ts"
import { useStudio } from "../../session/context/studio.ts"

const Models = object({ models: list(text), complete: flag })

/** The models that an account's agent can use; not asked for where there is no account. */
export function useAgentModels(account: string | null) {
  const { api } = useStudio()
  return useQuery({
    queryKey: ["account-models", account],
    enabled: account !== null,
    retry: false,
    queryFn: ({ signal }) =>
      api.call("GET /api/v1/accounts/{name}/models", { path: { name: account ?? "" }, response: Models, signal }),
  })
}
