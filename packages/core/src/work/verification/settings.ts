import { isDeepStrictEqual } from "node:util"
import type { Rule } from "../../kernel/session-log.ts"
import type { OwnerVerification } from "../../people/settings/verification-schema.ts"
import { anyOf, looseningRefused, off, on, other, type ProtectedOptions, requireLoosening } from "../../protections.ts"
import { NO_REVIEWER } from "./review-schema.ts"
import { DEFAULT_ATTEMPTS } from "./schema.ts"
import {
  type SessionVerification,
  unsetVerification,
  type VerificationChange,
  type VerificationSettings,
} from "./settings-schema.ts"

/** Returns the effective settings: for each field, the value from the narrowest scope that sets it. */
export function effectiveVerification(
  ...settings: { [Field in keyof VerificationChange]: VerificationChange[Field] | null }[]
): SessionVerification["effective"] {
  const first = <F extends keyof VerificationChange>(field: F) =>
    settings.map((one) => one[field]).find((set) => set != null)
  return {
    verify: first("verify") ?? false,
    allow_test_changes: first("allow_test_changes") ?? false,
    verification_attempts: first("verification_attempts") ?? DEFAULT_ATTEMPTS,
    ...reviewerIn(settings),
  }
}

/**
 * Returns the reviewer and its model. Both come from the same scope, because a model is meant for a particular
 * reviewer.
 */
function reviewerIn(settings: { [Field in keyof VerificationChange]: VerificationChange[Field] | null }[]) {
  const found = settings.find(({ verification_agent }) => verification_agent != null)
  const agent = found?.verification_agent ?? NO_REVIEWER
  if (agent === NO_REVIEWER) return NOBODY
  const { verification_model, verification_reasoning } = found ?? {}
  return {
    verification_agent: agent,
    verification_model: verification_model ?? null,
    verification_reasoning: verification_reasoning ?? null,
  }
}

const NOBODY = { verification_agent: null, verification_model: null, verification_reasoning: null }

/** Returns an owner's settings, which are the widest scope for a task. */
export function asWidest(own: OwnerVerification): VerificationSettings {
  return {
    ...unsetVerification,
    verify: own.auto_run ? true : null,
    verification_attempts: own.attempts,
    verification_agent: own.account_name,
    verification_model: own.model,
  }
}

/**
 * Returns the scopes around a task, narrowest first. If the owner has switched verification off, other scopes can't
 * switch it on.
 */
export function settingsBeside(
  { session = {}, repository = {} }: { session?: VerificationChange; repository?: VerificationChange },
  own: OwnerVerification,
): VerificationChange[] {
  const all = [session, repository, asWidest(own)]
  return own.enabled ? all : all.map((one) => ({ ...one, verify: null }))
}

/** Description of these settings in messages about settings that the owner protects. */
export const VERIFYING = "how work is verified"

/**
 * Returns true if the new settings protect less than the old ones. The number of attempts may always be changed,
 * because it doesn't protect anything.
 */
export const loosensVerification = anyOf<SessionVerification["effective"]>({
  ...{ verify: off, allow_test_changes: on, verification_agent: other, verification_model: other },
})

/**
 * Throws `forbidden` if a task's own fields weaken the settings of its session, repository or owner, unless the caller
 * may do so. If none of them sets a field, a task may choose any value for it.
 */
export function requireVerification(
  asked: VerificationChange,
  beside: VerificationChange[],
  by: Pick<ProtectedOptions, "mayLoosen">,
): void {
  const [was, is] = [effectiveVerification(...beside), effectiveVerification(asked, ...beside)]
  const allowed = beside.map(({ allow_test_changes }) => allow_test_changes).find((set) => set != null) ?? true
  const before = { ...was, allow_test_changes: allowed }
  if (loosensVerification(before, is)) requireLoosening(VERIFYING, by)
}

/** Changes the session's settings for later tasks. */
export function setVerification(
  change: VerificationChange,
  { repository, owner, mayLoosen }: { repository: VerificationChange; owner: OwnerVerification; mayLoosen?: boolean },
): Rule {
  return ({ verification: { settings } }) => {
    const after = { ...settings, ...change }
    if (isDeepStrictEqual(after, settings)) return []
    const holds = (session: VerificationChange) =>
      effectiveVerification(...settingsBeside({ session, repository }, owner))
    const refused = loosensVerification(holds(settings), holds(after)) && looseningRefused(VERIFYING, { mayLoosen })
    return refused || [{ type: "verification_set", settings: after }]
  }
}
