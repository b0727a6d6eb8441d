import type { Records } from "../../storage/records.ts"

const PARTITION = "removed-accounts"

/** Retention period of removal records. It is far longer than the time until an account's home directory is removed. */
const RETENTION_SECONDS = 365 * 86_400

/** Records that an account was removed, so that its home directory is removed too. */
export async function recordRemoval(
  records: Records,
  id: string,
  removedAt: number,
  { signal }: { signal?: AbortSignal },
): Promise<void> {
  const expiresAt = Math.ceil(removedAt / 1000) + RETENTION_SECONDS
  await records.put({ partition: PARTITION, sort: id }, { value: { removed_at: removedAt } }, { expiresAt, signal })
}

/** Yields the recorded account removals, with their times in Unix milliseconds. */
export async function* removedAccounts(
  records: Records,
  options: { signal?: AbortSignal },
): AsyncGenerator<{ id: string; removedAt: number; forget: () => Promise<unknown> }> {
  for await (const { key, value } of records.range(PARTITION, options)) {
    yield { id: key.sort, removedAt: Number(value.removed_at), forget: () => records.remove(key, options) }
  }
}
