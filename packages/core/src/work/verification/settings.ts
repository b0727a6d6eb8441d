import { isDeepStrictEqual } from "node:util"
import type { Rule } from "../../kernel/session-log.ts"
import type { OwnerVerification } from "../../people/settings/verification-schema.ts"
import { NO_REVIEWER } from "./review-schema.ts"
import { DEFAULT_ATTEMPTS } from "./schema.ts"
import {
  type SessionVerification,
  unsetVerification,
  type VerificationChange,
  type VerificationSettings,
} from "./settings-schema.ts"

/** The setting that counts: of each field the first that says anything, the narrowest first. */
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

/** The reviewer with the model of the same setting: another one's model says nothing about it. */
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

/** An owner's settings as the widest of those for a task. */
export function asWidest(own: OwnerVerification): VerificationSettings {
  return {
    ...unsetVerification,
    verify: own.auto_run ? true : null,
    verification_attempts: own.attempts,
    verification_agent: own.account_name,
    verification_model: own.model,
  }
}

/** The settings beside a task's own, the narrowest first: where its owner has switched verifying off, they don't begin it. */
export function settingsBeside(
  { session = {}, repository = {} }: { session?: VerificationChange; repository?: VerificationChange },
  own: OwnerVerification,
): VerificationChange[] {
  const all = [session, repository, asWidest(own)]
  return own.enabled ? all : all.map((one) => ({ ...one, verify: null }))
}

/** Changes what counts for the session's later tasks. */
export function setVerification(change: VerificationChange): Rule {
  return ({ verification: { settings } }) => {
    const after = { ...settings, ...change }
    return isDeepStrictEqual(after, settings) ? [] : [{ type: "verification_set", settings: after }]
  }
}
