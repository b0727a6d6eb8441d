import { join } from "node:path"
import type { RepositoryRules } from "@switchyard/core/agents/permissions/repository-rules-schema"
import type { Worktree } from "../git/worktrees/worktree-record.ts"
import type { Mount } from "./confined-place.ts"

/**
 * Returns mounts that prevent an agent's program from changing read-only files. Patterns and missing files aren't
 * mounted: their changes are reverted after the turn. Neither are links, because a mount would show their target.
 */
export async function readOnlyMounts(
  { git: { files }, tree }: Pick<Worktree, "git" | "tree">,
  rules: Pick<RepositoryRules, "read_only"> | undefined,
): Promise<Mount[]> {
  const root = await files.realpath(tree)
  const named = rules?.read_only.filter((path) => !path.includes("*")) ?? []
  const mounts = await Promise.all(
    named.map(async (path): Promise<Mount[]> => {
      const real = await files.realpath(join(tree, path)).catch(() => undefined)
      const at = join(tree, path)
      return real === join(root, path) ? [{ from: at, to: at, isReadOnly: true }] : []
    }),
  )
  return mounts.flat()
}
