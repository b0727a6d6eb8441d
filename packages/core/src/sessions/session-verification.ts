import type { SessionHandle } from "../kernel/session-handle.ts"
import type { RepositoriesOfOwners } from "../people/settings/repository-settings.ts"
import type { VerificationOfOwners } from "../people/settings/settings.ts"
import type { OwnerVerification } from "../people/settings/verification-schema.ts"
import { asWidest, effectiveVerification, settingsBeside } from "../work/verification/settings.ts"
import {
  type SessionVerification,
  unsetVerification,
  type VerificationSettings,
} from "../work/verification/settings-schema.ts"

interface VerificationDeps {
  repositories: Pick<RepositoriesOfOwners, "verificationFor">
  settings: VerificationOfOwners
}

/** Returns the verification settings that apply to a session's tasks. */
export async function readSessionVerification(
  { repositories, settings }: VerificationDeps,
  owner: string,
  { state }: Pick<SessionHandle, "state">,
  options: { signal: AbortSignal },
): Promise<SessionVerification> {
  const { settings: session } = state.verification
  const { repository, owner: own } = await widerVerification({ repositories, settings }, owner, { state }, options)
  const effective = effectiveVerification(...settingsBeside({ session, repository }, own))
  return { session, repository, owner: asWidest(own), effective }
}

/** Returns the verification settings of the session's repository and of its owner. */
export async function widerVerification(
  { repositories, settings }: VerificationDeps,
  owner: string,
  { state }: Pick<SessionHandle, "state">,
  options: { signal: AbortSignal },
): Promise<{ repository: VerificationSettings; owner: OwnerVerification }> {
  const [set, own] = await Promise.all([
    repositories.verificationFor(owner, state.session.repository, options),
    settings.verification.read(owner, options),
  ])
  return { repository: { ...unsetVerification, ...set }, owner: own }
}
