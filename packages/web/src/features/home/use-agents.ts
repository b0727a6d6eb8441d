import { Account, Provider } from "@switchyard/core/people/accounts/schema"
import { useQuery } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../session/context/studio.ts"

export interface Agent {
  /** By which it is asked for. */
  name: string
  told: string
  /** On whose key it works; `none`: somebody has to make an account for it first. */
  key: "account" | "server" | "none"
  /** The same in words; empty where there is more to say. */
  note: string
}

const Accounts = z.object({ accounts: z.array(Account) })
const Providers = z.object({ providers: z.array(Provider) })

/** Who can be given a task: accounts, then programs for which the server has a key or that need none, then all others. */
export function useAgents() {
  const { api } = useStudio()
  const { data, error, refetch } = useQuery({
    queryKey: ["agents"],
    queryFn: async ({ signal }) => {
      const [{ accounts }, { providers }] = await Promise.all([
        api.call("GET /api/v1/accounts", { answer: Accounts, signal }),
        api.call("GET /api/v1/providers", { answer: Providers, signal }),
      ])
      return agentsOf(accounts, providers)
    },
  })
  return { agents: data ?? [], known: data !== undefined, error, refetch }
}

function agentsOf(accounts: Account[], providers: Provider[]): Agent[] {
  const nameOf = (type: string) => providers.find((provider) => provider.type === type)?.name ?? type
  const programs = providers.map(
    ({ type, name, server_key, needs_key }): Agent => ({
      name: type,
      told: name,
      key: server_key ? "server" : "none",
      note: !server_key ? "" : needs_key ? "On the server's own key" : "Needs no key",
    }),
  )
  return [
    ...accounts.map(
      ({ name, provider }): Agent => ({
        name,
        told: `${name} · ${nameOf(provider)}`,
        key: "account",
        note: "On this account",
      }),
    ),
    ...programs.filter(({ key }) => key === "server"),
    ...programs.filter(({ key }) => key === "none"),
  ]
}
