import type { ProviderId } from "@switchyard/core/models/providers/providers"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { ApiError } from "../../api/client.ts"
import { anything, list, object, text } from "../../api/decode.ts"
import { afterKeyRemoved, afterKeySaved } from "../../api/model-choice.ts"
import { useStudio } from "../../session/context/studio.ts"
import { useModel } from "../../session/models/use-model.ts"

const Saved = object({ accounts: list(text) })

/** Queries that depend on keys. */
const SHOWN = [["keys"], ["models"], ["accounts"], ["agents"]]

/** A key, and what it is for: a provider's models, only a coding agent, or both. */
export interface NewKey {
  provider: ProviderId | null
  agent: string | null
  key: string
  /** True to save it on the server; false to keep it for this tab. */
  remembered: boolean
  /** False to save it although the provider can't test it now. */
  test: boolean
}

/** Returns mutations that save a key and remove one. Each refetches everything that depends on keys. */
export function useSaveKey() {
  const { api, keys, browser, config } = useStudio()
  const { save: saveChoice } = useModel()
  const client = useQueryClient()
  const onSettled = () => Promise.all(SHOWN.map((queryKey) => client.invalidateQueries({ queryKey })))

  const save = useMutation({
    async mutationFn({ provider, agent, key, remembered, test }: NewKey): Promise<string[]> {
      if (provider === null) {
        const body = { name: agent ?? "", provider: agent as "gemini", api_key: key }
        await api.call("POST /api/v1/accounts", { body, response: anything })
        return [agent ?? ""]
      }
      const path = { provider }
      if (remembered) {
        const body = { api_key: key, test, use_for_agent: agent !== null }
        const { accounts } = await api.call("PUT /api/v1/keys/{provider}", { path, body, response: Saved })
        keys.remove(provider)
        return accounts
      }
      if (test) await api.call("GET /v1/models/{provider}", { path, modelKey: key, response: anything })
      keys.save(provider, key)
      return []
    },
    onSuccess: (_, { provider }) => {
      if (provider) saveChoice(afterKeySaved(browser.getState().model, config.default_model, provider))
    },
    onSettled,
  })

  const remove = useMutation({
    async mutationFn({ provider, isSaved }: { provider: ProviderId; isSaved: boolean }): Promise<string[]> {
      keys.remove(provider)
      if (!isSaved) return []
      return (await api.call("DELETE /api/v1/keys/{provider}", { path: { provider }, response: Saved })).accounts
    },
    onSuccess: (_, { provider }) => saveChoice(afterKeyRemoved(browser.getState().model, provider)),
    onSettled,
  })
  return { save, remove }
}

/** Returns true if a key couldn't be tested, but may be valid. */
export function isUntested(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code !== "model_error") return false
  return error.details.test !== "refused" && error.details.error_type !== "auth_error"
}
