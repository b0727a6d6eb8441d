import * as z from "zod"
import { CliId, needsKey } from "../../agents/clis/clis.ts"
import { MockSettings } from "../../agents/clis/mock-settings.ts"
import { AppError } from "../../errors.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Account } from "./schema.ts"

export const StoredAccount = z.object({
  id: z.string(),
  name: z.string(),
  provider: CliId,
  model: z.string().nullable(),
  reasoning: z.string().nullable(),
  base_url: z.string().nullable(),
  /** True if the sealed bytes are a login instead of a key. */
  has_login: z.boolean().default(false),
  mock: MockSettings.optional(),
  created_at: z.number(),
})
export type StoredAccount = z.infer<typeof StoredAccount>

const CHANGE_ATTEMPTS = 5

/** Reads and replaces stored accounts by owner and name. */
export function createAccountRecords(records: Records) {
  /** Returns the record of the account with this name, if there is one. */
  async function find(owner: string, name: string, options: { signal?: AbortSignal }) {
    const key = keyOf(owner, name)
    return key && records.get(key, options)
  }

  /** Returns the record of the account with this name. Throws `account_not_found` if the owner has no such account. */
  async function need(owner: string, name: string, options: { signal?: AbortSignal }): Promise<StoredRecord> {
    const record = await find(owner, name, options)
    if (record) return record
    throw new AppError("account_not_found", "There is no account with this name.")
  }

  /** Replaces a stored account with the result of `to`. */
  async function rewrite(
    owner: string,
    name: string,
    options: { signal?: AbortSignal },
    to: (stored: StoredAccount, bytes: StoredRecord["bytes"]) => Pick<StoredRecord, "bytes"> & { value: StoredAccount },
  ): Promise<Account> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const { key, version, ...before } = await need(owner, name, options)
      const { value, bytes } = to(StoredAccount.parse(before.value), before.bytes)
      const put = await records.put(key, { value, bytes }, { ifVersion: version, ...options })
      if (put !== undefined) return toAccount({ key, value, bytes, version: put })
    }
    throw new AppError("storage_conflict", "The account was changed elsewhere. Reload it and try again.")
  }

  return { find, need, rewrite }
}

export function partitionOf(owner: string): string {
  return `accounts/${owner}`
}

/** Returns the key of an account's record, or undefined if the name is invalid. */
export function keyOf(owner: string, name: string) {
  if (!/^[\w.-]{1,64}$/.test(name)) return undefined
  return { partition: partitionOf(owner), sort: name.toLowerCase() }
}

/** Returns a stored account as the API shows it, without its secrets. */
export function toAccount({ value, bytes }: StoredRecord): Account {
  const { id: _, created_at, mock: __, ...account } = StoredAccount.parse(value)
  return {
    ...account,
    has_key: bytes !== undefined && !account.has_login,
    ready: bytes !== undefined || !needsKey(account.provider),
    created_at: new Date(created_at).toISOString(),
  }
}
