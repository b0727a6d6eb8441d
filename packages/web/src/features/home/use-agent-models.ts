import { flag, list, object, text } from "../../api/decode.ts"
import { useResponse } from "../../session/context/requests.ts"

const Models = object({ models: list(text), complete: flag })

/** Loads the models that an account's agent can use; nothing without an account. */
export function useAgentModels(account: string | null) {
  return useResponse(
    ["account-models", account],
    "GET /api/v1/accounts/{name}/models",
    { path: { name: account ?? "" }, response: Models },
    { enabled: account !== null, retry: false },
  )
}
