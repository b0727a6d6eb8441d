import type { SessionHandle } from "../kernel/session-handle.ts"
import type { RepositoriesOfOwners } from "../people/settings/repository-settings.ts"
import { effectiveVerification } from "../work/verification/settings.ts"
import { type SessionVerification, unsetVerification } from "../work/verification/settings-schema.ts"

/** The settings by which the tasks of a session are verified. */
export async function readSessionVerification(
  { repositories }: { repositories: Pick<RepositoriesOfOwners, "verificationFor"> },
  owner: string,
  { state }: Pick<SessionHandle, "state">,
  options: { signal: AbortSignal },
): Promise<SessionVerification> {
  const { settings: session } = state.verification
  const set = await repositories.verificationFor(owner, state.session.repository, options)
  const repository = { ...unsetVerification, ...set }
  return { session, repository, effective: effectiveVerification(session, repository) }
}
