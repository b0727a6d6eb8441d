import { isWeekly } from "../../agents/hand-off/decide.ts"
import type { Records } from "../../storage/records.ts"
import type { Ledger } from "../../work/usage/ledger.ts"
import { limitedUntil, readQuotas } from "../../work/usage/quotas.ts"
import type { Quota } from "../../work/usage/state.ts"
import type { Accounts } from "../accounts/accounts.ts"
import type { Account } from "../accounts/schema.ts"
import type { KnownLimits } from "../settings/limit-settings.ts"
import { reportUsage } from "./report.ts"
import type { AccountUsage } from "./schema.ts"

interface Deps {
  records: Records
  ledger: Pick<Ledger, "read">
  clock: { now(): number }
  accounts: Pick<Accounts, "mockSettings">
}

/** Returns an account's token usage, and how much of its limits is used, as far as its provider reports this. */
export async function accountUsage(
  deps: Deps,
  owner: string,
  { name, provider }: Pick<Account, "name" | "provider">,
  options: { signal: AbortSignal },
): Promise<AccountUsage> {
  const now = deps.clock.now()
  const all = (await readQuotas(deps.records, owner, options)).get(name.toLowerCase()) ?? []
  const { total } = await reportUsage(deps, owner, { group_by: "", account: name }, options)
  const reported = all.filter(({ resetsAt }) => resetsAt === null || Date.parse(resetsAt) > now)
  const simulated = provider === "mock" ? await simulatedQuota(deps, owner, name, options) : undefined
  const others = reported.filter(({ window }) => window !== simulated?.window)
  const current = simulated ? [simulated, ...others] : reported
  const weekly = current.find(({ window }) => isWeekly(window))
  const session = current.find(({ window }) => !isWeekly(window))
  return {
    ...{ account_name: name, provider, windows: current.map(windowOf) },
    ...{ session_usage_pct: session?.usedPercent ?? null, session_reset_eta: session?.resetsAt ?? null },
    ...{ weekly_usage_pct: weekly?.usedPercent ?? null, weekly_reset_eta: weekly?.resetsAt ?? null },
    ...{ limited_until: limitedUntil(reported, now) ?? null, last_30_days: total },
  }
}

/** Returns the limit that a mock account is configured to report. It applies even before a run has reported it. */
async function simulatedQuota(
  { accounts, clock }: Deps,
  owner: string,
  name: string,
  options: { signal: AbortSignal },
): Promise<Quota | undefined> {
  const { remaining_usage: remaining } = await accounts.mockSettings(owner, name, options)
  if (remaining === null) return undefined
  const usedPercent = Math.round((1 - remaining) * 1000) / 10
  return { window: "five_hour", usedPercent, resetsAt: null, at: new Date(clock.now()).toISOString() }
}

function windowOf({ window, usedPercent, resetsAt, at }: Quota) {
  return { window, used_percent: usedPercent, resets_at: resetsAt, reported_at: at }
}

/** Creates the function that returns limits that earlier runs have hit. Tasks need them before they start. */
export function createKnownLimits({ records, clock }: Pick<Deps, "records" | "clock">): KnownLimits {
  return async (owner, options) => {
    const now = clock.now()
    const all = [...(await readQuotas(records, owner, options))]
    const limited = all.map(([account, quotas]) => [account, limitedUntil(quotas, now)] as const)
    return new Map(limited.flatMap(([account, until]) => (until === undefined ? [] : [[account, until]])))
  }
}
