import type { ProtectedOptions } from "../../protections.ts"
import type { Settings } from "../settings/settings.ts"
import type { Accounts } from "./accounts.ts"

interface Deps {
  accounts: Accounts
  settings: Pick<Settings, "verification">
}

/** Deletes an account with its key or login. If it is the default reviewer, the default reviewer is unset. */
export async function removeAccount(deps: Deps, owner: string, name: string, options: ProtectedOptions): Promise<void> {
  // Unset the reviewer first. If it pointed to an account that no longer exists, every task that needs a review would
  // fail.
  await dismissReviewer(deps, owner, (await deps.accounts.get(owner, name, options)).name, options)
  await deps.accounts.remove(owner, name, options)
}

/** Unsets the default reviewer if this account is the default reviewer. */
export async function dismissReviewer(
  { settings }: Pick<Deps, "settings">,
  owner: string,
  name: string,
  options: ProtectedOptions,
): Promise<void> {
  const { account_name } = await settings.verification.read(owner, options)
  if (!isReviewer(name, account_name)) return
  await settings.verification.change(owner, { account_name: null, model: null }, options)
}

/** True if this account is the default reviewer. Names are case-insensitive. */
export function isReviewer(name: string, reviewer: string | null): boolean {
  return reviewer?.toLowerCase() === name.toLowerCase()
}
