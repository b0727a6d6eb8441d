import { Account, type NewAccount, Provider } from "@switchyard/core/people/accounts/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["accounts"]
/** Home's list of agents depends on the accounts, too. */
const AGENTS = ["agents"]
/** Runs use the key of an account where there is no other. */
const MODELS = ["models"]
const Accounts = z.object({ accounts: z.array(Account) })
const Providers = z.object({ providers: z.array(Provider) })
const Removed = z.object({ account_name: z.string() })

/** The user's accounts, the providers of agents, and the actions on accounts. */
export function useAccounts() {
  const { api } = useStudio()
  const client = useQueryClient()
  const onSuccess = async () => {
    await Promise.all([KEY, AGENTS, MODELS].map((queryKey) => client.invalidateQueries({ queryKey })))
  }
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
  const create = useMutation({
    mutationFn: (body: NewAccount) => api.call("POST /api/v1/accounts", { body, response: Account }),
    onSuccess,
  })
  const remove = useMutation({
    mutationFn: (name: string) => api.call("DELETE /api/v1/accounts/{name}", { path: { name }, response: Removed }),
    onSuccess,
  })
  return { list, create, remove }
}

export type AccountActions = Pick<ReturnType<typeof useAccounts>, "create" | "remove">
