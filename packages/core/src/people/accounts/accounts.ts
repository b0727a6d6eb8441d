import * as z from "zod"
import { modelAccess } from "../../agents/clis/model-access.ts"
import { CliId } from "../../agents/clis/schema.ts"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import { describeKey, foreignIssuer, issuerAt, whyNoApiKey } from "../../models/key-forms.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"
import { providers } from "./providers.ts"
import { recordRemoval } from "./removed.ts"
import type { Account, NewAccount } from "./schema.ts"

/** The credentials that an agent works with. `apiKey` is for the launcher of its program alone. */
export interface Credentials {
  /** The account's, and no later one's of its name. */
  id: string
  provider: CliId
  apiKey: string | null
  baseUrl: string | null
  model: string | null
  reasoning: string | null
}

/** An owner's accounts with the providers of agents. Names are the same whatever their case. */
export interface Accounts {
  /** Throws `account_exists` if the owner has one of this name. */
  create(owner: string, account: NewAccount, options: { signal?: AbortSignal }): Promise<Account>
  /** In order of their names. */
  list(owner: string, options: { signal?: AbortSignal }): Promise<Account[]>
  /** Throws `account_not_found`, as `remove` does. */
  get(owner: string, name: string, options: { signal?: AbortSignal }): Promise<Account>
  /** Changes what is named, for the tasks that begin from then on. Throws `account_not_found`. */
  change(
    owner: string,
    name: string,
    change: { model?: string | null; reasoning?: string | null },
    options: { signal?: AbortSignal },
  ): Promise<Account>
  /** Replaces the key, for what is launched from then on. Throws `account_not_found`, and `validation_error` for another company's key or none. */
  changeKey(owner: string, name: string, apiKey: string, options: { signal?: AbortSignal }): Promise<Account>
  remove(owner: string, name: string, options: { signal?: AbortSignal }): Promise<void>
  /** The account of this name with its key, opened; undefined if there is none. */
  credentials(owner: string, name: string, options: { signal?: AbortSignal }): Promise<Credentials | undefined>
}

const StoredAccount = z.object({
  id: z.string(),
  name: z.string(),
  provider: CliId,
  model: z.string().nullable(),
  reasoning: z.string().nullable(),
  base_url: z.string().nullable(),
  created_at: z.number(),
})
type StoredAccount = z.infer<typeof StoredAccount>

const CHANGE_ATTEMPTS = 5

export function createAccounts(deps: {
  records: Records
  sealer: Sealer
  newId: NewId
  clock: { now(): number }
}): Accounts {
  const { records, sealer, newId, clock } = deps

  async function find(owner: string, name: string, options: { signal?: AbortSignal }) {
    const key = keyOf(owner, name)
    return key && records.get(key, options)
  }

  /** Stores an account as `to` makes it of the one that is stored. */
  async function rewrite(
    owner: string,
    name: string,
    options: { signal?: AbortSignal },
    to: (stored: StoredAccount, bytes: StoredRecord["bytes"]) => Pick<StoredRecord, "bytes"> & { value: StoredAccount },
  ): Promise<Account> {
    for (let attempt = 0; attempt < CHANGE_ATTEMPTS; attempt++) {
      const record = await find(owner, name, options)
      if (!record) throw notFound()
      const { key, version } = record
      const { value, bytes } = to(StoredAccount.parse(record.value), record.bytes)
      const put = await records.put(key, { value, bytes }, { ifVersion: version, ...options })
      if (put !== undefined) return toAccount({ key, value, bytes, version: put })
    }
    throw new AppError("storage_conflict", "The account was changed elsewhere. Read it again.")
  }

  return {
    async create(owner, account, options) {
      const { name, provider, api_key, base_url = null, model = null, reasoning = null } = account
      if (providers[provider].needs_key && !api_key) {
        throw new AppError("validation_error", "Accounts of this provider need an api_key.", { provider })
      }
      requireOwnKey(account)
      const key = keyOf(owner, name)
      if (!key) throw new AppError("validation_error", "An account can't have this name.")
      const id = newId("acc")
      const value = { id, name, provider, model, reasoning, base_url, created_at: clock.now() }
      const bytes = api_key ? sealer.seal(owner, sealName(id), api_key) : undefined
      const put = await records.put(key, { value, bytes }, { ifAbsent: true, ...options })
      // After a reply that was lost, it is ours that stands in the way.
      const isOurs = put !== undefined || (await records.get(key, options))?.value.id === id
      if (!isOurs) {
        throw new AppError("account_exists", "An account with this name already exists.", { name })
      }
      return toAccount({ key, value, bytes, version: 1 })
    },
    async list(owner, options) {
      return (await Array.fromAsync(records.range(partitionOf(owner), options))).map(toAccount)
    },
    async get(owner, name, options) {
      const record = await find(owner, name, options)
      if (!record) throw notFound()
      return toAccount(record)
    },
    change: (owner, name, change, options) =>
      rewrite(owner, name, options, (stored, bytes) => {
        const { name: title, supports_reasoning } = providers[stored.provider]
        if (change.reasoning != null && !supports_reasoning) {
          throw new AppError("validation_error", `${title} doesn't let you choose how hard it thinks.`)
        }
        return { value: { ...stored, ...change }, bytes }
      }),
    changeKey: (owner, name, apiKey, options) =>
      rewrite(owner, name, options, (stored) => {
        requireOwnKey({ ...stored, api_key: apiKey })
        return { value: stored, bytes: sealer.seal(owner, sealName(stored.id), apiKey) }
      }),
    async remove(owner, name, options) {
      const record = await find(owner, name, options)
      if (!record) throw notFound()
      await recordRemoval(records, StoredAccount.parse(record.value).id, clock.now(), options)
      await records.remove(record.key, options)
      const { removeQuotas } = await import("../../work/usage/quotas.ts")
      await removeQuotas(records, owner, name, options)
    },
    async credentials(owner, name, options) {
      const record = await find(owner, name, options)
      if (!record) return undefined
      const { id, provider, base_url, model, reasoning } = StoredAccount.parse(record.value)
      const apiKey = record.bytes ? sealer.open(owner, sealName(id), record.bytes) : null
      return { id, provider, apiKey, baseUrl: base_url, model, reasoning }
    },
  }
}

/**
 * Refuses what is no API key. A key goes to the account's address, or else to the agent's usual one, and must not be clearly
 * another company's than that or than the agent's own. opencode alone knows some addresses that we don't.
 */
function requireOwnKey({
  provider,
  api_key,
  base_url,
  model,
}: Pick<NewAccount, "provider" | "api_key" | "base_url" | "model">): void {
  const notKey = whyNoApiKey(api_key ?? "")
  if (notKey !== undefined) throw new AppError("validation_error", notKey, { provider })
  const usual = modelAccess[provider].defaultApi(model ?? null)
  const address = base_url ?? usual
  if (!api_key || address === null) return
  const issuer = foreignIssuer(api_key, { issuer: issuerAt(usual), baseUrl: address })
  if (issuer === undefined) return
  const message = `This is ${describeKey(issuer)}, which ${providers[provider].name} would send to ${new URL(address).host}.`
  throw new AppError("validation_error", message, { provider, key_of: issuer })
}

function partitionOf(owner: string): string {
  return `accounts/${owner}`
}

/** Undefined for what can't be a name. */
function keyOf(owner: string, name: string) {
  if (!/^[\w.-]{1,64}$/.test(name)) return undefined
  return { partition: partitionOf(owner), sort: name.toLowerCase() }
}

/** A key is sealed for one account only, not for the next one of its name. */
function sealName(id: string): string {
  return `account/${id}`
}

function toAccount({ value, bytes }: StoredRecord): Account {
  const { id: _, created_at, ...account } = StoredAccount.parse(value)
  const hasKey = bytes !== undefined
  return {
    ...account,
    has_key: hasKey,
    ready: hasKey || !providers[account.provider].needs_key,
    created_at: new Date(created_at).toISOString(),
  }
}

function notFound(): AppError {
  return new AppError("account_not_found", "There is no account with this name.")
}
