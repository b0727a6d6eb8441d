import {
  ActionSettings,
  type ActionSettingsChange,
  FallbackOrder,
  SwitchThreshold,
} from "@switchyard/core/people/settings/limit-settings-schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type * as z from "zod"
import { useChange, useResponse } from "../../../session/context/requests.ts"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["limit-settings"]

/** Returns the user's rules for limits, and a way to change some of them. */
export function useActionSettings() {
  const settings = useResponse([...KEY, "rules"], "GET /api/v1/config/action-settings", { response: ActionSettings })
  const change = useChange(
    (api, body: z.infer<typeof ActionSettingsChange>) =>
      api.call("PUT /api/v1/config/action-settings", { body, response: ActionSettings }),
    KEY,
  )
  return { settings, change }
}

/** Returns the accounts that take over a task, and the usage at which they do. Both are views of the same rules. */
export function useFallbackOrder() {
  const { api } = useStudio()
  const client = useQueryClient()
  const fallback = useQuery({
    queryKey: [...KEY, "order"],
    queryFn: async ({ signal }) => {
      const [{ order }, { threshold }] = await Promise.all([
        api.call("GET /api/v1/config/provider-fallback-order", { response: FallbackOrder, signal }),
        api.call("GET /api/v1/config/usage-switch-threshold", { response: SwitchThreshold, signal }),
      ])
      return { order, threshold }
    },
  })
  const setOrder = useMutation({
    scope: { id: "fallback-order" },
    mutationFn: (order: string[]) =>
      api.call("PUT /api/v1/config/provider-fallback-order", { body: { order }, response: FallbackOrder }),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  })
  const setThreshold = useChange(
    (api, threshold: number) =>
      api.call("PUT /api/v1/config/usage-switch-threshold", { body: { threshold }, response: SwitchThreshold }),
    KEY,
  )
  return { fallback, setOrder, setThreshold }
}
