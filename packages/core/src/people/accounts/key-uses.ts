import { type CliId, cliOfCompany } from "../../agents/clis/clis.ts"
import { AppError } from "../../errors.ts"
import { modelProviders, type ProviderId } from "../../models/providers/providers.ts"
import type { ProtectedOptions } from "../../protections.ts"
import type { Settings } from "../settings/settings.ts"
import type { Accounts } from "./accounts.ts"
import { removeAccount } from "./remove-account.ts"
import type { SavedKey } from "./saved-keys.ts"
import type { Account, SavedKeyView } from "./schema.ts"

interface Deps {
  accounts: Accounts
  settings: Pick<Settings, "verification">
}

/** Lists an owner's saved keys and the accounts that use the same key. */
export async function listKeys(
  { accounts }: Pick<Deps, "accounts">,
  owner: string,
  options: { signal?: AbortSignal },
): Promise<SavedKeyView[]> {
  const keys = await accounts.keys.list(owner, options)
  return Promise.all(keys.map(async (key) => toView(key, await usersOf(accounts, owner, key.provider, options))))
}

/**
 * Saves a key for a provider's models. Accounts that use the provider's previous key also get the new key. With
 * `useForAgent`, creates an account for the company's coding agent, unless an account with this key already exists.
 */
export async function saveKey(
  { accounts }: Pick<Deps, "accounts">,
  owner: string,
  key: { provider: ProviderId; apiKey: string; tested: boolean; useForAgent: boolean },
  options: { signal?: AbortSignal },
): Promise<SavedKeyView> {
  const { provider, apiKey, useForAgent } = key
  const agent = useForAgent ? requireAgent(provider) : undefined
  for (const { name } of await usersOf(accounts, owner, provider, options)) {
    await accounts.changeKey(owner, name, apiKey, options)
  }
  // Replace the key only after updating the accounts, because they are found by the previous key.
  const saved = await accounts.keys.put(owner, key, options)
  const users = await usersOf(accounts, owner, provider, options)
  if (agent === undefined || users.some((user) => user.provider === agent)) return toView(saved, users)
  const name = await freeName(accounts, owner, agent, options)
  return toView(saved, [...users, await accounts.create(owner, { name, provider: agent, api_key: apiKey }, options)])
}

/**
 * Deletes a saved key, and the accounts that use the same key. Returns the names of these accounts. Undefined if no key
 * is saved.
 */
export async function removeKey(
  deps: Deps,
  owner: string,
  provider: ProviderId,
  options: ProtectedOptions,
): Promise<string[] | undefined> {
  const { accounts } = deps
  const saved = await accounts.keys.list(owner, options)
  if (!saved.some((key) => key.provider === provider)) return undefined
  const users = await usersOf(accounts, owner, provider, options)
  for (const { name } of users) await removeAccount(deps, owner, name, options)
  // Remove the key last. Otherwise, a repeated request couldn't find the accounts that use it.
  await accounts.keys.remove(owner, provider, options)
  return users.map(({ name }) => name)
}

/** Returns the accounts whose key is the provider's saved key. */
async function usersOf(
  accounts: Accounts,
  owner: string,
  provider: ProviderId,
  options: { signal?: AbortSignal },
): Promise<Account[]> {
  const key = await readable(accounts.keys.open(owner, provider, options))
  if (key === undefined) return []
  const keyed = (await accounts.list(owner, options)).filter(({ has_key }) => has_key)
  const found = await Promise.all(
    keyed.map(async (account) => {
      const credentials = await readable(accounts.credentials(owner, account.name, options))
      return credentials?.apiKey === key ? [account] : []
    }),
  )
  return found.flat()
}

/**
 * Returns the decrypted secret. Undefined if it was encrypted with another master key; it can then still be replaced or
 * removed.
 */
async function readable<T>(opened: Promise<T>): Promise<T | undefined> {
  try {
    return await opened
  } catch (error) {
    if (error instanceof AppError && error.code === "secret_unreadable") return undefined
    throw error
  }
}

function requireAgent(provider: ProviderId): CliId {
  const agent = cliOfCompany(provider)
  if (agent) return agent
  const { name } = modelProviders[provider]
  throw new AppError("validation_error", `${name} has no coding agent that could use this key.`, { provider })
}

/**
 * Returns the agent's own name, so that tasks that only name the agent use the account. If another account already has
 * this name, returns a different name.
 */
async function freeName(
  accounts: Accounts,
  owner: string,
  agent: CliId,
  options: { signal?: AbortSignal },
): Promise<string> {
  const taken = new Set((await accounts.list(owner, options)).map(({ name }) => name.toLowerCase()))
  const names = [agent, `${agent}-key`, ...Array.from(taken, (_, index) => `${agent}-key-${index + 2}`)]
  return names.find((name) => !taken.has(name)) ?? agent
}

function toView({ saved_at, ...key }: SavedKey, users: Account[]): SavedKeyView {
  const accounts = users.map(({ name }) => name)
  return { ...key, name: modelProviders[key.provider].name, saved_at: new Date(saved_at).toISOString(), accounts }
}
