import * as z from "zod"
import type { AddedAgents } from "../../agents/added/added.ts"
import { cliOf } from "../../agents/added/cli-of.ts"
import { type CliId, needsKey } from "../../agents/clis/clis.ts"
import { type MockSettings, NO_MOCK_SETTINGS } from "../../agents/clis/mock-settings.ts"
import { type LoginFiles, loginFault, loginRevision } from "../../agents/runner/login-files.ts"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import type { Records, StoredRecord } from "../../storage/records.ts"
import type { Sealer } from "../../storage/sealing.ts"
import { createAccountRecords, keyOf, partitionOf, StoredAccount, toAccount } from "./account-records.ts"
import { requireOwnKey, requireOwnLogin, requireProgram } from "./own-credentials.ts"
import { recordRemoval } from "./removed.ts"
import { createSavedKeys } from "./saved-keys.ts"
import type { Account, LoginChange, NewAccount } from "./schema.ts"

/** Credentials that an agent uses. `apiKey` may only be passed to the launcher of the agent's program. */
export interface Credentials {
  /** Account ID. Unlike names, IDs are never reused. */
  id: string
  provider: CliId
  apiKey: string | null
  /** True if the account uses the agent's own login instead of a key. */
  hasLogin: boolean
  baseUrl: string | null
  model: string | null
  reasoning: string | null
  /** Settings of a mock account, if any. */
  mock?: MockSettings | undefined
}

/** An account's decrypted login, for the runner of a task that uses the account. */
export interface StoredLogin {
  /** Account ID, as in the account's credentials. */
  id: string
  files: LoginFiles
  /** Changes whenever the files change. */
  revision: string
}

/** An owner's accounts with agents' providers. Names are case-insensitive. */
export type Accounts = ReturnType<typeof createAccounts>

const LoginBytes = z.record(z.string(), z.string())

export function createAccounts(deps: {
  records: Records
  sealer: Sealer
  newId: NewId
  clock: { now(): number }
  /** Programs that the operator added. */
  added?: AddedAgents
}) {
  const { records, sealer, newId, clock, added = new Map() } = deps
  const { find, need, rewrite } = createAccountRecords(records)

  return {
    /** Saved keys for models. They don't need an account. */
    keys: createSavedKeys(deps),
    /** Throws `account_exists` if the owner has an account with this name. */
    async create(owner: string, account: NewAccount, options: { signal?: AbortSignal }): Promise<Account> {
      const { name, provider, api_key, login, base_url = null, model = null, reasoning = null } = account
      requireProgram(added, account)
      requireOwnCredentials(account)
      const key = keyOf(owner, name)
      if (!key) throw new AppError("validation_error", "This isn't a valid account name.")
      const id = newId("acc")
      const has_login = login != null
      const value = { id, name, provider, model, reasoning, base_url, has_login, created_at: clock.now() }
      const keyBytes = api_key ? sealer.seal(owner, sealName(id), api_key) : undefined
      const bytes = login ? sealLogin(sealer, owner, id, login.files) : keyBytes
      const put = await records.put(key, { value, bytes }, { ifAbsent: true, ...options })
      // If only the reply was lost, this call has created the existing account.
      const isOurs = put !== undefined || (await records.get(key, options))?.value.id === id
      if (!isOurs) {
        throw new AppError("account_exists", "An account with this name already exists.", { name })
      }
      return toAccount({ key, value, bytes, version: 1 })
    },
    /** Lists accounts by name. */
    async list(owner: string, options: { signal?: AbortSignal }): Promise<Account[]> {
      return (await Array.fromAsync(records.range(partitionOf(owner), options))).map(toAccount)
    },
    /** Returns the account with this name. Throws `account_not_found` if there is none. */
    get: async (owner: string, name: string, options: { signal?: AbortSignal }): Promise<Account> =>
      toAccount(await need(owner, name, options)),
    /**
     * Changes the given fields, which applies to tasks started afterwards. Throws `account_not_found` if there is no
     * account with this name.
     */
    change: (
      owner: string,
      name: string,
      change: { model?: string | null; reasoning?: string | null },
      options: { signal?: AbortSignal },
    ): Promise<Account> =>
      rewrite(owner, name, options, (stored, bytes) => {
        const { title, supportsReasoning } = cliOf(stored.provider)
        if (change.reasoning != null && !supportsReasoning) {
          throw new AppError("validation_error", `${title} doesn't have a setting for reasoning effort.`)
        }
        return { value: { ...stored, ...change }, bytes }
      }),
    /**
     * Replaces the key, which applies to programs launched afterwards. Throws `account_not_found` if there is no
     * account with this name, or `validation_error` if the key is invalid or from another company.
     */
    changeKey: (owner: string, name: string, apiKey: string, options: { signal?: AbortSignal }): Promise<Account> =>
      rewrite(owner, name, options, (stored) => {
        requireOwnKey({ ...stored, api_key: apiKey })
        const bytes = sealer.seal(owner, sealName(stored.id), apiKey)
        return { value: { ...stored, has_login: false }, bytes }
      }),
    /**
     * Sets the account's login, which applies to programs launched afterwards. It replaces the account's key or
     * previous login. Throws `account_not_found` if there is no account with this name, `consent_required` if the owner
     * hasn't consented, or `validation_error` if the files aren't a login for the account's agent.
     */
    changeLogin: (owner: string, name: string, login: LoginChange, options: { signal?: AbortSignal }) =>
      rewrite(owner, name, options, (stored) => {
        requireOwnLogin(stored, login)
        return { value: { ...stored, has_login: true }, bytes: sealLogin(sealer, owner, stored.id, login.files) }
      }),
    /** Returns the account's login, or undefined if there is none. */
    async login(owner: string, name: string, options: { signal?: AbortSignal }): Promise<StoredLogin | undefined> {
      const record = await find(owner, name, options)
      return record && openLogin(sealer, owner, record)
    },
    /**
     * Stores a refreshed login if the stored login still has the given revision. Returns the login that is stored
     * afterwards. Undefined if there is none.
     */
    async refreshLogin(
      owner: string,
      name: string,
      { files, revision }: { files: LoginFiles; revision: string },
      options: { signal?: AbortSignal },
    ): Promise<StoredLogin | undefined> {
      for (;;) {
        const record = await find(owner, name, options)
        const stored = record && openLogin(sealer, owner, record)
        if (!record || !stored || stored.revision !== revision) return stored
        const { provider } = StoredAccount.parse(record.value)
        if (loginFault(provider, files) !== undefined) return stored
        const bytes = sealLogin(sealer, owner, stored.id, files)
        const put = { value: record.value, bytes }
        if ((await records.put(record.key, put, { ifVersion: record.version, ...options })) !== undefined) {
          return { id: stored.id, files, revision: loginRevision(files) }
        }
        // The account has been changed. Try again, because the login itself may be unchanged.
      }
    },
    /**
     * Returns a mock account's settings. Throws `account_not_found` if there is no account with this name, or
     * `validation_error` if the account isn't a mock.
     */
    async mockSettings(owner: string, name: string, options: { signal?: AbortSignal }): Promise<MockSettings> {
      const { value } = await need(owner, name, options)
      return mockSettingsOf(StoredAccount.parse(value))
    },
    /**
     * Changes the given settings, which applies to programs launched afterwards. Throws the same errors as
     * `mockSettings`.
     */
    async changeMock(owner: string, name: string, change: Partial<MockSettings>, options: { signal?: AbortSignal }) {
      let changed = NO_MOCK_SETTINGS
      await rewrite(owner, name, options, (stored, bytes) => {
        changed = { ...mockSettingsOf(stored), ...change }
        return { value: { ...stored, mock: changed }, bytes }
      })
      return changed
    },
    async remove(owner: string, name: string, options: { signal?: AbortSignal }): Promise<void> {
      const { key, value } = await need(owner, name, options)
      await recordRemoval(records, StoredAccount.parse(value).id, clock.now(), options)
      await records.remove(key, options)
      const { removeQuotas } = await import("../../work/usage/quotas.ts")
      await removeQuotas(records, owner, name, options)
    },
    /**
     * Returns the credentials of the account with this name, including its decrypted key. Undefined if there is no such
     * account.
     */
    async credentials(
      owner: string,
      name: string,
      options: { signal?: AbortSignal },
    ): Promise<Credentials | undefined> {
      const record = await find(owner, name, options)
      if (!record) return undefined
      const { id, provider, base_url, model, reasoning, has_login: hasLogin, mock } = StoredAccount.parse(record.value)
      const apiKey = record.bytes && !hasLogin ? sealer.open(owner, sealName(id), record.bytes) : null
      return { id, provider, apiKey, hasLogin, baseUrl: base_url, model, reasoning, mock }
    },
  }
}

/** Throws `validation_error` if a new account's key or login is missing, or belongs to another provider. */
function requireOwnCredentials(account: NewAccount): void {
  const { provider, api_key, login, base_url = null } = account
  if (needsKey(provider) && !api_key && !login) {
    throw new AppError("validation_error", "Accounts with this provider need an api_key.", { provider })
  }
  if (login) requireOwnLogin({ provider, api_key, base_url }, login)
  requireOwnKey(account)
}

/** Encrypts a login, so that it can only be decrypted for the same account. */
function sealLogin(sealer: Sealer, owner: string, id: string, files: LoginFiles): Uint8Array {
  return sealer.seal(owner, loginSealName(id), JSON.stringify(files))
}

function openLogin(sealer: Sealer, owner: string, { value, bytes }: StoredRecord): StoredLogin | undefined {
  const { id, has_login } = StoredAccount.parse(value)
  if (!has_login || !bytes) return undefined
  const files = LoginBytes.parse(JSON.parse(sealer.open(owner, loginSealName(id), bytes)))
  return { id, files, revision: loginRevision(files) }
}

function mockSettingsOf({ provider, mock = NO_MOCK_SETTINGS }: StoredAccount): MockSettings {
  if (provider === "mock") return mock
  throw new AppError("validation_error", "Only mock accounts have these settings.", { provider })
}

/**
 * Returns the name that binds an encrypted key to one account. A later account with the same name can't decrypt the
 * key.
 */
function sealName(id: string): string {
  return `account/${id}`
}

function loginSealName(id: string): string {
  return `account/${id}/login`
}
