import {
  MaxVerificationAttempts,
  PreferredVerificationModel,
  VerificationAgent,
  VerificationSwitch,
} from "@switchyard/core/people/settings/verification-schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type * as z from "zod"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["verification-settings"]

export interface VerificationSettings extends z.infer<typeof VerificationSwitch> {
  attempts: number
  /** The reviewing agent; null for none. */
  reviewer: string | null
  model: string | null
}

/** Returns the user's settings for verifying tasks, and a way to change some of them. */
export function useVerificationSettings() {
  const { api } = useStudio()
  const client = useQueryClient()
  const settings = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }): Promise<VerificationSettings> => {
      const [of, { account_name }, { model }, { attempts }] = await Promise.all([
        api.call("GET /api/v1/config/verification", { response: VerificationSwitch, signal }),
        api.call("GET /api/v1/config/verification-agent", { response: VerificationAgent, signal }),
        api.call("GET /api/v1/config/preferred-verification-model", { response: PreferredVerificationModel, signal }),
        api.call("GET /api/v1/config/max-verification-attempts", { response: MaxVerificationAttempts, signal }),
      ])
      return { ...of, attempts, reviewer: account_name, model }
    },
  })
  const change = useMutation({
    scope: { id: "verification-settings" },
    mutationFn: async ({ attempts, reviewer, model, ...of }: Partial<VerificationSettings>) => {
      if (Object.keys(of).length > 0) {
        await api.call("PUT /api/v1/config/verification", { body: of, response: VerificationSwitch })
      }
      if (attempts !== undefined) {
        const body = { attempts }
        await api.call("PUT /api/v1/config/max-verification-attempts", { body, response: MaxVerificationAttempts })
      }
      if (reviewer !== undefined) {
        const body = { account_name: reviewer }
        await api.call("PUT /api/v1/config/verification-agent", { body, response: VerificationAgent })
      }
      if (model !== undefined) {
        const body = { model }
        await api.call("PUT /api/v1/config/preferred-verification-model", {
          body,
          response: PreferredVerificationModel,
        })
      }
    },
    // An account's role is a view of the reviewer, so refetch accounts too.
    onSettled: () => Promise.all([KEY, ["accounts"]].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  return { settings, change }
}
