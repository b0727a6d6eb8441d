import type { FallbackProgram, HandOffPlan, LimitKind, LimitRule } from "../../agents/hand-off/schema.ts"
import { AppError } from "../../errors.ts"
import type { Records } from "../../storage/records.ts"
import type { Accounts } from "../accounts/accounts.ts"
import { defaultLimitSettings, LimitSettings, MAX_RULES } from "./limit-settings-schema.ts"

/** Owners' rules for account limits. */
export type LimitSettingsOfOwners = ReturnType<typeof createLimitSettings>

/** Returns the time when each account's used-up limits reset, by lower-case account name. */
export type KnownLimits = (owner: string, options: { signal?: AbortSignal }) => Promise<Map<string, string>>

const ATTEMPTS = 5

export function createLimitSettings(deps: {
  records: Records
  accounts: Pick<Accounts, "list">
  knownLimits?: KnownLimits
}) {
  const { records, accounts } = deps
  const keyOf = (owner: string) => ({ partition: `settings/${owner}`, sort: "limits" })

  async function namesOf(owner: string, options: { signal?: AbortSignal }): Promise<Set<string>> {
    return new Set((await accounts.list(owner, options)).map(({ name }) => name.toLowerCase()))
  }

  async function stored(owner: string, options: { signal?: AbortSignal }) {
    const record = await records.get(keyOf(owner), options)
    const settings = record ? LimitSettings.parse(record.value) : defaultLimitSettings
    return { settings, version: record?.version }
  }

  /** Returns the rules. Leaves out accounts that were removed. */
  async function read(owner: string, options: { signal?: AbortSignal }): Promise<LimitSettings> {
    const { settings } = await stored(owner, options)
    const names = await namesOf(owner, options)
    return {
      ...settings,
      rules: settings.rules.filter(({ target_account }) => target_account == null || isIn(names, target_account)),
      order: settings.order.filter((name) => isIn(names, name)),
    }
  }

  return {
    read,
    /** Changes the rules. Throws `validation_error` if they can't work, or name accounts that don't exist. */
    async change(owner: string, change: (now: LimitSettings) => LimitSettings, options: { signal?: AbortSignal }) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { settings, version } = await stored(owner, options)
        const value = change(settings)
        // Check only what has changed, because earlier rules may name accounts that were removed later.
        requireValid(value, settings, await namesOf(owner, options))
        const condition = version === undefined ? { ifAbsent: true as const } : { ifVersion: version }
        const put = await records.put(keyOf(owner), { value }, { ...condition, ...options })
        if (put !== undefined) return read(owner, options)
      }
      throw new AppError("storage_conflict", "The settings were changed elsewhere. Reload them and try again.")
    },
    /**
     * Returns the settings for a task that uses this account. Undefined if the owner has no settings. With `keysOnly`,
     * leaves out accounts that use their agent's own login.
     */
    async planFor(
      owner: string,
      account: string | null,
      { keysOnly, ...options }: { keysOnly?: boolean | undefined; signal?: AbortSignal },
    ): Promise<HandOffPlan | undefined> {
      if ((await records.get(keyOf(owner), options)) === undefined) return undefined
      const [settings, all, known] = await Promise.all([
        read(owner, options),
        accounts.list(owner, options),
        deps.knownLimits?.(owner, options),
      ])
      const named = [account ?? [], settings.order, settings.rules.map(({ target_account }) => target_account ?? [])]
      const names = new Set(named.flat(2).map((name) => name.toLowerCase()))
      const programs = all
        .filter(({ name, has_login }) => isIn(names, name) && !(keysOnly && has_login))
        .map(({ name, provider, model, reasoning }): FallbackProgram => {
          const until = known?.get(name.toLowerCase())
          return {
            account: name,
            cli: provider,
            model,
            reasoning,
            ...(until !== undefined && { limited_until: until }),
          }
        })
      return { ...settings, programs }
    },
  }
}

/**
 * Returns the rule that switches to the next account. The API shows this rule as the fallback order and the switch
 * threshold.
 */
function switchRule(rules: LimitRule[], event: LimitKind): LimitRule | undefined {
  return rules.find((rule) => rule.event === event && rule.action === "switch_provider" && rule.target_account == null)
}

/**
 * Returns the rules with a change: the agent switches to the next account when any of these limits reaches the
 * threshold.
 */
export function withSwitchAt(rules: LimitRule[], events: LimitKind[], threshold: number): LimitRule[] {
  const switchAt = (event: LimitKind): LimitRule => ({ event, action: "switch_provider", threshold })
  const before = events.flatMap((event) => switchRule(rules, event) ?? [])
  const added = events.filter((event) => !before.some((rule) => rule.event === event))
  return [...rules.map((rule) => (before.includes(rule) ? switchAt(rule.event) : rule)), ...added.map(switchAt)]
}

const DEFAULT_THRESHOLD = 90

/** Kinds of limits that providers report for an account. */
export const USAGE_LIMITS: LimitKind[] = ["session_usage", "weekly_usage"]

/**
 * Returns the settings with this order. If there are no rules that switch accounts, adds some, because the order has no
 * effect without them.
 */
export function withOrder(settings: LimitSettings, order: string[]): LimitSettings {
  const hasRule = order.length === 0 || USAGE_LIMITS.some((event) => switchRule(settings.rules, event) !== undefined)
  return {
    ...settings,
    order,
    rules: hasRule ? settings.rules : withSwitchAt(settings.rules, USAGE_LIMITS, DEFAULT_THRESHOLD),
  }
}

/** Returns the lowest threshold for switching to the next account because of one of these limits. */
export function switchThreshold({ rules }: LimitSettings, events: LimitKind[]): number {
  const thresholds = events.flatMap((event) => switchRule(rules, event)?.threshold ?? [])
  if (thresholds.length > 0) return Math.min(...thresholds)
  return events.includes("context_usage") ? 100 : DEFAULT_THRESHOLD
}

function requireValid(settings: LimitSettings, before: LimitSettings, names: Set<string>): void {
  requireFollowable(settings, before.rules)
  const { rules, order } = settings
  const missing = order.find((name) => !before.order.includes(name) && !isIn(names, name))
  if (missing !== undefined) throw unknownAccount(missing)
  for (const rule of rules.filter((one) => !before.rules.includes(one))) {
    const target = rule.action === "switch_provider" ? rule.target_account : undefined
    if (target != null && !isIn(names, target)) throw unknownAccount(target)
  }
}

/**
 * Throws `validation_error` if the settings couldn't work with any accounts. Doesn't check rules that are already in
 * `before`.
 */
export function requireFollowable({ rules, order }: LimitSettings, before: LimitRule[] = []): void {
  if (rules.length > MAX_RULES) {
    throw new AppError("validation_error", `There can't be more than ${MAX_RULES} rules.`, { rules: rules.length })
  }
  if (new Set(order.map((name) => name.toLowerCase())).size < order.length) {
    throw new AppError("validation_error", "The order contains the same account twice.", { order })
  }
  for (const { event, action } of rules.filter((one) => !before.includes(one))) {
    if (event !== "context_usage" || action !== "await_reset") continue
    const message =
      "Waiting doesn't reset a conversation's context. Choose notify or switch_provider for context_usage."
    throw new AppError("validation_error", message, { event, action })
  }
}

function unknownAccount(name: string): AppError {
  return new AppError("validation_error", "There is no account with this name.", { account: name })
}

function isIn(names: Set<string>, name: string): boolean {
  return names.has(name.toLowerCase())
}
