import { Account, Provider } from "@switchyard/core/accounts/schema"
import { useQuery } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../app/studio.ts"

export interface Agent {
  /** By which it is asked for. */
  name: string
  told: string
}

const Accounts = z.object({ accounts: z.array(Account) })
const Providers = z.object({ providers: z.array(Provider) })

/** Who can be given a task: accounts, and programs that may find a key in the server's own environment. */
export function useAgents() {
  const { api } = useStudio()
  const { data, error, refetch } = useQuery({
    queryKey: ["agents"],
    queryFn: async ({ signal }) => {
      const [{ accounts }, { providers }] = await Promise.all([
        api.get("/api/v1/accounts", Accounts, { signal }),
        api.get("/api/v1/providers", Providers, { signal }),
      ])
      const nameOf = (type: string) => providers.find((provider) => provider.type === type)?.name ?? type
      return {
        accounts: accounts.map(({ name, provider }): Agent => ({ name, told: `${name} · ${nameOf(provider)}` })),
        programs: providers.map(({ type, name }): Agent => ({ name: type, told: name })),
      }
    },
  })
  return { agents: data ?? { accounts: [], programs: [] }, known: data !== undefined, error, refetch }
}
