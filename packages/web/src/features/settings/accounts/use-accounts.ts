import { Account, type NewAccount, Provider } from "@switchyard/core/people/accounts/schema"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../../session/context/studio.ts"

const KEY = ["accounts"]
/** What home offers is made of the same. */
const AGENTS = ["agents"]
const Accounts = z.object({ accounts: z.array(Account) })
const Providers = z.object({ providers: z.array(Provider) })
const Removed = z.object({ account_name: z.string() })

/** The caller's accounts with the providers of agents, what they may be for, and what can be done with them. */
export function useAccounts() {
  const { api } = useStudio()
  const client = useQueryClient()
  const onSuccess = async () => {
    await Promise.all([KEY, AGENTS].map((queryKey) => client.invalidateQueries({ queryKey })))
  }
  const list = useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const [{ accounts }, { providers }] = await Promise.all([
        api.get("/api/v1/accounts", Accounts, { signal }),
        api.get("/api/v1/providers", Providers, { signal }),
      ])
      return { accounts, providers }
    },
  })
  const create = useMutation({
    mutationFn: (asked: NewAccount) => api.send("POST", "/api/v1/accounts", Account, { body: asked }),
    onSuccess,
  })
  const remove = useMutation({
    mutationFn: (name: string) => api.send("DELETE", `/api/v1/accounts/${encodeURIComponent(name)}`, Removed),
    onSuccess,
  })
  return { list, create, remove }
}

export type AccountActions = Pick<ReturnType<typeof useAccounts>, "create" | "remove">
