import { Account, Provider } from "@switchyard/core/people/accounts/schema"
import { useQuery } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../session/context/studio.ts"
import type { Option } from "../../ui/field.tsx"

export interface Agent {
  /** Name used in requests. */
  name: string
  /** Its program. */
  cli: string
  label: string
  /**
   * Source of its key. `none`: an account has to be added first. `trial`: it needs no key, and does next to nothing.
   */
  key: "account" | "server" | "none" | "trial"
  /** Description; may be empty. */
  note: string
}

const Accounts = z.object({ accounts: z.array(Account) })
const Providers = z.object({ providers: z.array(Provider) })

export function agentOption({ name, label }: Agent): Option {
  return [name, label]
}

/** Returns the agents to choose from: accounts first, then programs that have a key, then all others. */
export function useAgents() {
  const { api } = useStudio()
  const { data, error, refetch } = useQuery({
    queryKey: ["agents"],
    queryFn: async ({ signal }) => {
      const [{ accounts }, { providers }] = await Promise.all([
        api.call("GET /api/v1/accounts", { response: Accounts, signal }),
        api.call("GET /api/v1/providers", { response: Providers, signal }),
      ])
      return agentsOf(accounts, providers)
    },
  })
  return { agents: data ?? [], known: data !== undefined, error, refetch }
}

function agentsOf(accounts: Account[], providers: Provider[]): Agent[] {
  const nameOf = (type: string) => providers.find((provider) => provider.type === type)?.name ?? type
  // A task that names a program uses the account of that name, if there is one.
  const named = new Set(accounts.map(({ name }) => name.toLowerCase()))
  const unnamed = providers.filter(({ type }) => !named.has(type))
  const programs = unnamed.map(
    ({ type, name, server_key, needs_key }): Agent => ({
      name: type,
      cli: type,
      label: name,
      key: type === "mock" ? "trial" : server_key ? "server" : "none",
      note: !server_key ? "" : needs_key ? "Uses the server's key" : "No key needed",
    }),
  )
  return [
    ...accounts.map(
      ({ name, provider }): Agent => ({
        name,
        cli: provider,
        label: `${name} · ${nameOf(provider)}`,
        key: "account",
        note: "Uses this account",
      }),
    ),
    ...programs.filter(({ key }) => key === "server"),
    ...programs.filter(({ key }) => key === "none"),
    ...programs.filter(({ key }) => key === "trial"),
  ]
}
