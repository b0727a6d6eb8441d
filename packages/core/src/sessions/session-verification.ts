import type { SessionHandle } from "../kernel/session-handle.ts"
import type { RepositoriesOfOwners } from "../people/settings/repository-settings.ts"
import type { VerificationOfOwners } from "../people/settings/settings.ts"
import { asWidest, effectiveVerification, settingsBeside } from "../work/verification/settings.ts"
import { type SessionVerification, unsetVerification } from "../work/verification/settings-schema.ts"

/** The settings by which the tasks of a session are verified. */
export async function readSessionVerification(
  {
    repositories,
    settings,
  }: { repositories: Pick<RepositoriesOfOwners, "verificationFor">; settings: VerificationOfOwners },
  owner: string,
  { state }: Pick<SessionHandle, "state">,
  options: { signal: AbortSignal },
): Promise<SessionVerification> {
  const { settings: session } = state.verification
  const [set, own] = await Promise.all([
    repositories.verificationFor(owner, state.session.repository, options),
    settings.verification.read(owner, options),
  ])
  const repository = { ...unsetVerification, ...set }
  const effective = effectiveVerification(...settingsBeside({ session, repository }, own))
  return { session, repository, owner: asWidest(own), effective }
}
