import type { NewEvent } from "@switchyard/core/events"
import type { Change, Manifest } from "@switchyard/core/files/workspaces/manifest"
import type { WorkspacePath } from "@switchyard/core/files/workspaces/path"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import type { HeldDeletions } from "@switchyard/core/files/worktrees/schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { SessionState } from "@switchyard/core/state"
import { listed } from "./listed.ts"

/** Deletions that are waiting for confirmation. */
export interface PendingDeletions extends HeldDeletions {
  of: number
}

const PATHS = 20

/**
 * Returns the deletions if they must be confirmed first: because they affect more than half of the session's files, or
 * because other deletions are already waiting for confirmation.
 */
export function heldDeletions(
  manifest: Manifest,
  deleted: WorkspacePath[],
  areHeld: boolean,
): PendingDeletions | undefined {
  const isMuch = deleted.length * 2 > manifest.files.length
  if (deleted.length === 0 || !(areHeld || isMuch)) return undefined
  return { count: deleted.length, paths: deleted.slice(0, PATHS), of: manifest.files.length }
}

/** Returns the changes that are possible without any deletion. */
export function withoutDeletions(manifest: Manifest, changes: Change[]): Change[] {
  const files = new Set<string>(manifest.files.map(({ path }) => path))
  const folders = new Set(manifest.files.flatMap(({ path }) => foldersOf(path)))
  return changes.filter(({ op, path }) => {
    return op !== "delete" && !folders.has(path) && !foldersOf(path).some((folder) => files.has(folder))
  })
}

function foldersOf(path: string): string[] {
  const segments = path.split("/").slice(0, -1)
  return segments.map((_, index) => segments.slice(0, index + 1).join("/"))
}

/** Creates events that aren't in the log yet about deletions that are waiting for confirmation, or no longer are. */
export function deletionEvents(
  { state, worktree }: { state: SessionState; worktree: string },
  held: PendingDeletions | undefined,
  confirmed = false,
): NewEvent[] {
  const known = worktreeOf(state, worktree).heldDeletions
  const named = namedWorktree(worktree)
  if (!held) return known ? [{ type: "deletions_settled", ...named, confirmed }] : []
  const { of, ...files } = held
  if (known?.count === files.count && JSON.stringify(known.paths) === JSON.stringify(files.paths)) return []
  return [
    { type: "deletions_held", ...named, ...files, file_count: of },
    { type: "agent_notice", text: warning(held) },
  ]
}

function warning({ count, paths, of }: PendingDeletions): string {
  return (
    `${count} of the session's ${of} files were deleted in the worktree: ${listed(paths, count)}. ` +
    "The session keeps them until you confirm the deletion, and the next task restores them."
  )
}
