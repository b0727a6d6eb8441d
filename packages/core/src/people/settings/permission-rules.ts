import { loosensRules } from "../../agents/permissions/loosens-rules.ts"
import type { PermissionRule } from "../../agents/permissions/schema.ts"
import { AppError } from "../../errors.ts"
import { isSameRemote } from "../../files/worktrees/remote.ts"
import { type Loosens, type ProtectedOptions, requireLoosening } from "../../protections.ts"
import type { Records } from "../../storage/records.ts"
import { PermissionRules, type PermissionRulesChange, type StoredPermissionRules } from "./permission-rules-schema.ts"

export type RulesOfOwners = ReturnType<typeof createRulesOfOwners>

/**
 * True if a change loosens the owner's general rules, or the rules of a repository. The rules of a repository are all
 * entries with its name, in order.
 */
const loosensOwnersRules: Loosens<PermissionRules> = (before, after) => {
  const named = [...before.repositories, ...after.repositories].map(({ repository }) => repository)
  return (
    loosensRules(before.rules, after.rules) ||
    named.some((name) => loosensRules(rulesOf(before, name), rulesOf(after, name)))
  )
}

const NONE: PermissionRules = { rules: [], repositories: [] }

interface Deps {
  records: Records
  /**
   * Returns the repositories that contain a folder or have it as a linked worktree, with the nearest last. Undefined if
   * this process can't access folders.
   */
  repositoriesAround?: ((folder: string) => Promise<string[]>) | undefined
}

export function createRulesOfOwners({ records, repositoriesAround }: Deps) {
  const keyOf = (owner: string) => ({ partition: `settings/${owner}`, sort: "permissions" })

  async function read(owner: string, options: { signal?: AbortSignal }): Promise<StoredPermissionRules> {
    const record = await records.get(keyOf(owner), options)
    return record ? { ...PermissionRules.parse(record.value), version: record.version } : { ...NONE, version: 0 }
  }

  return {
    read,
    /** Replaces all rules. Throws `storage_conflict` if the change contains a version that isn't the stored version. */
    async replace(owner: string, { version: expected, ...value }: PermissionRulesChange, options: ProtectedOptions) {
      const { version, ...before } = await read(owner, options)
      if (loosensOwnersRules(before, value)) requireLoosening("your rules for agents", options)
      const condition = version === 0 ? { ifAbsent: true as const } : { ifVersion: version }
      const isMeant = expected === undefined || expected === version
      const stored = isMeant ? await records.put(keyOf(owner), { value }, { ...condition, ...options }) : undefined
      if (stored === undefined) {
        throw new AppError("storage_conflict", "The rules were changed elsewhere. Reload them and try again.", {
          version,
        })
      }
      return { ...value, version: stored }
    },
    /**
     * Returns the rules for agents in this repository, or in a session's own files if the repository is null. The
     * owner's general rules come first, then the rules of enclosing repositories, then the repository's own rules.
     * Later rules take precedence.
     */
    async rulesFor(owner: string, repository: string | null, options: { signal?: AbortSignal }) {
      const { rules, repositories } = await read(owner, options)
      if (repository === null || repositories.length === 0) return rules
      const around = repository.startsWith("/") ? ((await repositoriesAround?.(repository)) ?? []) : []
      return [...rules, ...[...around, repository].flatMap((name) => rulesOf({ repositories }, name))]
    },
  }
}

function rulesOf({ repositories }: Pick<PermissionRules, "repositories">, name: string): PermissionRule[] {
  return repositories.flatMap((one) => (isSameRemote(one.repository, name) ? one.rules : []))
}
