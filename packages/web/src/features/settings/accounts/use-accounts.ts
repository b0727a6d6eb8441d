import {
  Account,
  AccountView,
  type NewAccount,
  Provider,
  type RoleChoice,
} from "@switchyard/core/people/accounts/schema"
import { type QueryClient, useQuery } from "@tanstack/react-query"
import * as z from "zod"
import { useChange } from "../../../session/context/requests.ts"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["accounts"]
/**
 * Queries that show accounts. Includes home's list of agents, and the models, because a run without another key uses an
 * account's.
 */
const SHOWN = [KEY, ["agents"], ["models"]]
const Accounts = z.object({ accounts: z.array(AccountView) })
const Providers = z.object({ providers: z.array(Provider) })
const Removed = z.object({ account_name: z.string() })

/** Refetches everything that shows accounts. */
export async function refreshAccounts(client: QueryClient): Promise<void> {
  await Promise.all(SHOWN.map((queryKey) => client.invalidateQueries({ queryKey })))
}

/** Returns the user's accounts, the agents' providers, and actions on accounts. */
export function useAccounts() {
  const { api } = useStudio()
  const list = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const [{ accounts }, { providers }] = await Promise.all([
        api.call("GET /api/v1/accounts", { response: Accounts, signal }),
        api.call("GET /api/v1/providers", { response: Providers, signal }),
      ])
      return { accounts, providers }
    },
  })
  const create = useChange(
    (api, body: NewAccount) => api.call("POST /api/v1/accounts", { body, response: Account }),
    ...SHOWN,
  )
  const remove = useChange(
    (api, name: string) => api.call("DELETE /api/v1/accounts/{name}", { path: { name }, response: Removed }),
    ...SHOWN,
  )
  const change = useChange(
    async (api, { name, model, reasoning, role, api_key, login }: AccountChange) => {
      const path = { name }
      // Must come first, because it is what the server may refuse.
      if (api_key != null) {
        await api.call("PUT /api/v1/accounts/{name}/key", { path, body: { api_key }, response: AccountView })
      }
      if (login != null) {
        await api.call("PUT /api/v1/accounts/{name}/login", { path, body: login, response: AccountView })
      }
      if (model !== undefined) {
        await api.call("PUT /api/v1/accounts/{name}/model", { path, body: { model }, response: AccountView })
      }
      if (reasoning !== undefined) {
        await api.call("PUT /api/v1/accounts/{name}/reasoning", { path, body: { reasoning }, response: AccountView })
      }
      if (role !== undefined) {
        await api.call("PUT /api/v1/accounts/{name}/role", { path, body: { role }, response: AccountView })
      }
    },
    ...SHOWN,
    ["verification-settings"],
  )
  return { list, create, remove, change }
}

interface AccountChange extends Pick<NewAccount, "api_key" | "login"> {
  name: string
  /** Null for the agent's own choice; undefined for no change. */
  model?: string | null
  reasoning?: string | null
  role?: z.infer<typeof RoleChoice>["role"]
}

export type AccountActions = Pick<ReturnType<typeof useAccounts>, "create" | "remove" | "change">
