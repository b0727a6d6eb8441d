import { type GitPath, toText } from "../plumbing/git-path.ts"
import { readStatus } from "../plumbing/read-status.ts"
import { listUntracked } from "../plumbing/snapshot.ts"
import type { Worktree } from "./worktree-record.ts"

/** Changes in a worktree since its last commit. */
export interface Uncommitted {
  /** True if committing the worktree's files would change anything. */
  isDirty: boolean
  /** Submodules with changes that must be committed in the submodule itself. */
  submodules: GitPath[]
  /** True if the index has no unmerged entries. */
  isMerged: boolean
  /** Checked-out commit that the files were compared with. Null on a branch without a commit. */
  head: string | null
}

export async function findUncommitted(
  { git, tree: cwd }: Pick<Worktree, "git" | "tree">,
  { signal }: { signal: AbortSignal },
): Promise<Uncommitted> {
  const flags = ["--porcelain=v2", "--branch", "--no-ahead-behind", "--untracked-files=normal", "--no-renames"]
  const fields = await readStatus(git, flags, { cwd, signal })
  const lines = fields.filter((field) => !field.startsWith("# "))
  const [, head = null] = /^# branch\.oid ([0-9a-f]+)$/.exec(fields[0] ?? "") ?? []
  const submodules = lines.flatMap((line) => DIRTY_SUBMODULE.exec(line)?.[1] ?? [])
  const rest = lines.filter((line) => !DIRTY_SUBMODULE.test(line))
  // Git lists an empty nested repository as untracked, although it contains nothing to commit.
  const areFolders = rest.every((line) => line.startsWith("? ") && line.endsWith("/"))
  const isDirty = areFolders ? rest.length > 0 && (await hasUntracked()) : true
  return { isDirty, submodules, isMerged: !lines.some((line) => line.startsWith("u ")), head }

  async function hasUntracked(): Promise<boolean> {
    return (await listUntracked(git, cwd, { signal })).some((path) => !path.endsWith("/"))
  }
}

/** Status line of a submodule that is at the recorded commit but contains changes of its own. */
const DIRTY_SUBMODULE = /^1 \.M S\.\S\S (?:\S+ ){5}(.*)$/s

/** Describes changes inside submodules, for people and agents. */
export function describeSubmodules(paths: GitPath[]): string {
  return `Changes inside ${paths.map(toText).join(", ")} aren't committed there, so no commit of the outer repository can include them.`
}
