import { Account } from "@switchyard/core/people/accounts/schema"
import { AccountUsage } from "@switchyard/core/people/usage/schema"
import { useQuery } from "@tanstack/react-query"
import * as z from "zod"
import { useStudio } from "../../session/context/studio.ts"
import { momentOf } from "../../ui/time.ts"
import { Meter } from "./meter.tsx"

const Accounts = z.object({ accounts: z.array(Account) })

/** Limits of the user's accounts, as last reported by their providers. */
export function AccountLimits() {
  const { data = [] } = useAccountUsages()
  const known = data.filter(({ windows, limited_until }) => windows.length > 0 || limited_until !== null)
  if (known.length === 0) return null
  return (
    <section aria-labelledby="account-limits" className="mt-8">
      <h2 id="account-limits" className="mb-3 text-lg">
        Account limits
      </h2>
      <ul className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
        {known.map((account) => (
          <li key={account.account_name}>
            <p className="text-sm">
              <span className="font-semibold">{account.account_name}</span>{" "}
              <span className="text-ink-3">{account.provider}</span>
            </p>
            <AccountMeters usage={account} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** An account's limits, each with its reset time. */
export function AccountMeters({ usage: { limited_until, windows } }: { usage: AccountUsage }) {
  return (
    <>
      {limited_until && <p className="text-sm text-err">Limited until {momentOf(limited_until)}</p>}
      {windows.map((limit) => (
        <Limit key={limit.window} limit={limit} />
      ))}
    </>
  )
}

export function useAccountUsages() {
  const { api } = useStudio()
  return useQuery({
    queryKey: ["usage", "accounts"],
    queryFn: async ({ signal }) => {
      const { accounts } = await api.call("GET /api/v1/accounts", { response: Accounts, signal })
      const usageOf = ({ name }: Account) =>
        api.call("GET /api/v1/accounts/{name}/usage", { path: { name }, response: AccountUsage, signal })
      return Promise.all(accounts.map(usageOf))
    },
  })
}

function Limit({ limit }: { limit: AccountUsage["windows"][number] }) {
  const { window, used_percent, resets_at, reported_at } = limit
  const used = Math.round(used_percent)
  return (
    <div className="mt-1.5" title={`Reported ${momentOf(reported_at)}`}>
      <Meter
        label={`${window}: ${Math.min(100, used)}%`}
        aside={resets_at === null ? undefined : `resets ${momentOf(resets_at)}`}
        percent={used}
      />
    </div>
  )
}
