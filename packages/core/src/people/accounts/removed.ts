import type { Records } from "../../storage/records.ts"

const PARTITION = "removed-accounts"

/** The runner that removes homes has seen it long before. */
const KEPT_SECONDS = 365 * 86_400

/** Notes that an account is gone, for whoever keeps a home for it. */
export async function noteRemoved(
  records: Records,
  id: string,
  removedAt: number,
  { signal }: { signal?: AbortSignal },
): Promise<void> {
  const expiresAt = Math.ceil(removedAt / 1000) + KEPT_SECONDS
  await records.put({ partition: PARTITION, sort: id }, { value: { removed_at: removedAt } }, { expiresAt, signal })
}

/** Accounts that are gone and not forgotten, with the time of their removal in Unix milliseconds. */
export async function* removedAccounts(
  records: Records,
  options: { signal?: AbortSignal },
): AsyncGenerator<{ id: string; removedAt: number; forget: () => Promise<unknown> }> {
  for await (const { key, value } of records.range(PARTITION, options)) {
    yield { id: key.sort, removedAt: Number(value.removed_at), forget: () => records.remove(key, options) }
  }
}
