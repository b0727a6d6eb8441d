import * as z from "zod"
import type { RecordKey, Records } from "../../storage/records.ts"
import type { Quota, UsageState } from "./state.ts"

const StoredQuotas = z.object({
  account: z.string(),
  windows: z.array(
    z.object({ window: z.string(), usedPercent: z.number(), resetsAt: z.string().nullable(), at: z.string() }),
  ),
})

/** Retention of quota reports, which exceeds the longest window of any provider. */
const EXPIRES_AFTER_MS = 40 * 86_400_000

/** Returns the latest quota reports for an owner's accounts, by lower-case account name. */
export async function readQuotas(
  records: Records,
  owner: string,
  options: { signal?: AbortSignal },
): Promise<Map<string, Quota[]>> {
  const all = new Map<string, Quota[]>()
  for await (const { key, value } of records.range(partitionOf(owner), options)) {
    all.set(key.sort, StoredQuotas.parse(value).windows)
  }
  return all
}

/** Returns the latest future reset of an account's exhausted limits. Undefined if there is none. */
export function limitedUntil(quotas: Quota[], now: number): string | undefined {
  const ends = quotas
    .filter(({ usedPercent }) => usedPercent >= 100)
    .flatMap(({ resetsAt }) => (resetsAt !== null && Date.parse(resetsAt) > now ? [resetsAt] : []))
  return ends.sort((a, b) => Date.parse(a) - Date.parse(b)).at(-1)
}

/** Stores a session's quota reports, unless newer ones are already stored. */
export async function storeQuotas(
  records: Records,
  owner: string,
  quotas: UsageState["quotas"],
  options: { signal?: AbortSignal },
): Promise<void> {
  for (const [account, windows] of Object.entries(quotas)) await store(records, owner, { account, windows }, options)
}

async function store(
  records: Records,
  owner: string,
  { account, windows }: { account: string; windows: Quota[] },
  options: { signal?: AbortSignal },
): Promise<void> {
  const key: RecordKey = { partition: partitionOf(owner), sort: account.toLowerCase() }
  const record = await records.get(key, options)
  const before = record ? StoredQuotas.parse(record.value).windows : []
  const newer = windows.filter((one) => !before.some(({ window, at }) => window === one.window && at >= one.at))
  if (newer.length === 0) return
  const others = before.filter(({ window }) => !newer.some((one) => one.window === window))
  const value = { account, windows: [...others, ...newer] }
  const last = Math.max(...value.windows.map(({ at }) => Date.parse(at)))
  const expiresAt = Math.ceil((last + EXPIRES_AFTER_MS) / 1000)
  const condition = record ? { ifVersion: record.version } : { ifAbsent: true as const }
  // If a concurrent writer was faster, its reports are the same or newer. The next update adds missing reports.
  await records.put(key, { value }, { ...condition, expiresAt, ...options })
}

/** Removes a deleted account's quota reports. */
export async function removeQuotas(
  records: Records,
  owner: string,
  account: string,
  options: { signal?: AbortSignal },
): Promise<void> {
  await records.remove({ partition: partitionOf(owner), sort: account.toLowerCase() }, options)
}

function partitionOf(owner: string): string {
  return `quotas/${owner}`
}
