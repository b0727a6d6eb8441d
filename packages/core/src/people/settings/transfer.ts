import * as z from "zod"
import { needsKey } from "../../agents/clis/clis.ts"
import { MockSettings } from "../../agents/clis/mock-settings.ts"
import { AppError } from "../../errors.ts"
import { anyOf, changed, type ProtectedOptions, requireLoosening } from "../../protections.ts"
import type { Accounts } from "../accounts/accounts.ts"
import { NewAccount } from "../accounts/schema.ts"
import type { Budgets } from "../budget/budgets.ts"
import { Budget } from "../budget/schema.ts"
import { Cleanup } from "./cleanup-schema.ts"
import { type LimitSettingsOfOwners, requireFollowable } from "./limit-settings.ts"
import { LimitSettings } from "./limit-settings-schema.ts"
import type { RulesOfOwners } from "./permission-rules.ts"
import { PermissionRules } from "./permission-rules-schema.ts"
import type { RepositoriesOfOwners } from "./repository-settings.ts"
import { RepositoriesSettingsChange } from "./repository-settings-schema.ts"
import { Preferences } from "./schema.ts"
import type { Settings } from "./settings.ts"
import { Snippets } from "./snippets-schema.ts"
import { OwnerVerification } from "./verification-schema.ts"

const { name, provider, base_url, model, reasoning } = NewAccount.shape

/**
 * All of an owner's settings, for a transfer to another server. The only secrets are the keys of accounts, and they
 * aren't exported.
 */
export const ExportedConfig = z
  .strictObject({
    format: z.literal("switchyard-config-1"),
    preferences: Preferences,
    verification: OwnerVerification,
    cleanup: Cleanup,
    limits: LimitSettings,
    permissions: PermissionRules,
    repositories: RepositoriesSettingsChange.shape.repositories,
    snippets: Snippets.shape.snippets.default([]),
    budget: Budget.optional().describe("If omitted, the server's budget is kept"),
    accounts: z
      .array(
        z.strictObject({
          ...{ name, provider, base_url, model, reasoning },
          mock: MockSettings.optional().describe("Simulation settings for a mock account"),
        }),
      )
      .max(200),
  })
  .meta({ id: "ExportedConfig" })
export type ExportedConfig = z.infer<typeof ExportedConfig>

/**
 * True if an import changes any protection. Protections are compared as a whole, because an import replaces either all
 * or none of them.
 */
const replacesProtection = anyOf<ExportedConfig>({
  ...{ verification: changed, permissions: changed, repositories: changed, budget: changed },
})

export interface TransferDeps {
  settings: Settings
  limitSettings: LimitSettingsOfOwners
  permissionRules: RulesOfOwners
  repositories: RepositoriesOfOwners
  accounts: Accounts
  budgets: Pick<Budgets, "read" | "change">
  /** Changes how long sessions are kept, and applies this to existing sessions. */
  cleanups: { change(owner: string, change: Cleanup, options: Options): Promise<unknown> }
}

interface Options {
  signal: AbortSignal
}

export async function exportConfig(deps: TransferDeps, owner: string, options: Options): Promise<ExportedConfig> {
  const [preferences, verification, cleanup, { snippets }, limits, permissions, { repositories }, accounts, status] =
    await Promise.all([
      deps.settings.preferences.read(owner, options).then(withoutVersion),
      deps.settings.verification.read(owner, options).then(withoutVersion),
      deps.settings.cleanup.read(owner, options).then(withoutVersion),
      deps.settings.snippets.read(owner, options),
      deps.limitSettings.read(owner, options),
      deps.permissionRules.read(owner, options).then(withoutVersion),
      deps.repositories.read(owner, options),
      deps.accounts.list(owner, options),
      deps.budgets.read(owner, options),
    ])
  const { day_usd, month_usd, day_tokens, month_tokens } = status
  const exported = accounts.map(async ({ name, provider, base_url, model, reasoning }) => {
    const mock = provider === "mock" ? await deps.accounts.mockSettings(owner, name, options) : undefined
    return { ...{ name, provider, base_url, model, reasoning }, ...(mock && { mock }) }
  })
  return {
    format: "switchyard-config-1",
    ...{ preferences, verification, cleanup, snippets, limits, permissions, repositories },
    budget: { day_usd, month_usd, day_tokens, month_tokens },
    accounts: await Promise.all(exported),
  }
}

/**
 * Replaces all of an owner's settings, but keeps existing accounts. Returns the names of accounts that can't be added
 * until they have a key. Drops rules about accounts that don't exist. Idempotent. Throws `validation_error` if the
 * limit rules can't be followed, or `forbidden` if protections would change and the caller isn't allowed to weaken
 * them. In both cases, nothing is changed.
 */
export async function importConfig(
  deps: TransferDeps,
  owner: string,
  config: ExportedConfig,
  options: ProtectedOptions,
): Promise<{ withoutKey: string[] }> {
  requireFollowable(config.limits)
  const now = await exportConfig(deps, owner, options)
  if (replacesProtection(now, { ...config, budget: config.budget ?? now.budget })) {
    requireLoosening("your protective settings", options)
  }
  const there = new Set((await deps.accounts.list(owner, options)).map((account) => account.name.toLowerCase()))
  const missing = config.accounts.filter((account) => !there.has(account.name.toLowerCase()))
  const ready = missing.filter(({ provider }) => !needsKey(provider))
  for (const { mock, ...account } of ready) {
    await createOnce(deps.accounts, owner, account, options)
    if (mock) await deps.accounts.changeMock(owner, account.name, mock, options)
  }
  const known = new Set([...there, ...ready.map((account) => account.name.toLowerCase())])
  const isKnown = (account: string | null | undefined) => account == null || known.has(account.toLowerCase())
  const { verification, limits } = config
  await deps.settings.preferences.change(owner, config.preferences, options)
  await deps.settings.snippets.change(owner, { snippets: config.snippets }, options)
  await deps.cleanups.change(owner, config.cleanup, options)
  const reviewer = isKnown(verification.account_name) ? verification.account_name : null
  await deps.settings.verification.change(owner, { ...verification, account_name: reviewer }, options)
  await deps.permissionRules.replace(owner, config.permissions, options)
  await deps.repositories.replace(owner, { repositories: config.repositories }, options)
  const rules = limits.rules.filter((rule) => isKnown(rule.target_account))
  if (config.budget) await deps.budgets.change(owner, config.budget, options)
  await deps.limitSettings.change(owner, () => ({ ...limits, rules, order: limits.order.filter(isKnown) }), options)
  return { withoutKey: missing.filter(({ provider }) => needsKey(provider)).map((account) => account.name) }
}

async function createOnce(accounts: Accounts, owner: string, account: NewAccount, options: Options): Promise<void> {
  try {
    await accounts.create(owner, account, options)
  } catch (error) {
    if (!(error instanceof AppError && error.code === "account_exists")) throw error
  }
}

function withoutVersion<T extends { version: number }>({ version: _, ...settings }: T): Omit<T, "version"> {
  return settings
}
