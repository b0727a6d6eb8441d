import type { HandOffPlan } from "../hand-off/schema.ts"
import type { PermissionRule } from "../permissions/schema.ts"
import type { SetupConsents } from "../setup/setup-consents.ts"
import type { AgentInput } from "./schema.ts"
import type { StartConsents } from "./start-consents.ts"

interface Options {
  signal: AbortSignal
}

/** Owners' settings for agents. A null repository stands for a session's own files. */
export interface OwnerSettingsDeps {
  /** Returns the owner's rules for agents in a repository. */
  permissionRules: { rulesFor(owner: string, repository: string | null, options: Options): Promise<PermissionRule[]> }
  /** Returns the owner's worktree settings for the repository. */
  repositories: { setupFor(owner: string, repository: string | null, options: Options): Promise<AgentInput["setup"]> }
  startConsents: Pick<StartConsents, "digestsFor">
  setupConsents: Pick<SetupConsents, "allowedFor">
  /** Returns the owner's limit settings for a turn that uses this account. */
  limitSettings: {
    planFor(
      owner: string,
      account: string | null,
      options: Options & { keysOnly?: boolean },
    ): Promise<HandOffPlan | undefined>
  }
}

/** Owner's settings for a turn, as fields of its input. */
export type OwnerSettings = Pick<AgentInput, "rules" | "setup" | "consents" | "own_setups" | "hand_off">

/** Returns the owner's settings for a turn that uses this account in a repository. Omits empty settings. */
export async function ownerSettings(
  deps: OwnerSettingsDeps,
  owner: string,
  { repository, account, keysOnly }: { repository: string | null; account: string | null; keysOnly?: boolean },
  options: Options,
): Promise<OwnerSettings> {
  const [rules, setup, consents, own_setups, hand_off] = await Promise.all([
    deps.permissionRules.rulesFor(owner, repository, options),
    deps.repositories.setupFor(owner, repository, options),
    deps.startConsents.digestsFor(owner, repository, options),
    // Someone other than the owner may have started a run that is limited to keys.
    keysOnly ? {} : deps.setupConsents.allowedFor(owner, options),
    deps.limitSettings.planFor(owner, account, { keysOnly, ...options }),
  ])
  return {
    ...(rules.length > 0 && { rules }),
    ...(setup && { setup }),
    ...(consents.length > 0 && { consents }),
    ...(Object.keys(own_setups).length > 0 && { own_setups }),
    ...(hand_off && { hand_off }),
  }
}
