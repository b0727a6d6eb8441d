import type { EventOf, LogEvent } from "../../events.ts"
import type { Part } from "../../kernel/part.ts"
import { usesWorktree } from "../../work/runs/kinds.ts"
import { MAIN_WORKTREE } from "./names-schema.ts"
import type { PreparedTools } from "./repository-setup-schema.ts"
import type { HeldDeletions, Saving } from "./schema.ts"

/** A session's worktrees, by name. */
export interface WorktreesState {
  byName: { [name: string]: WorktreeState }
  /** The hundred pairs of conflicting worktrees that changed most recently. */
  collisions: CollidingPair[]
}

/** Two worktrees whose work would conflict. The files are listed in the event with sequence number `seq`. */
export interface CollidingPair {
  worktrees: string[]
  seq: number
  fileCount: number
  digest: string
}

/** Size of a diff. */
export interface ChangeSize {
  files: number
  additions: number
  deletions: number
}

/** Last known state of a worktree, as reported by a runner. */
export interface WorktreeState {
  /** Unanswered commands, by ID. */
  pending: { [commandId: string]: PendingCommand }
  /** Newest run of an agent in the worktree, either active or finished. */
  lastRun: { runId: string; seq: number } | null
  /** Sequence number of the newest `worktree_changed` event. */
  reportedSeq: number | null
  /** Sequence number of the newest `project_saved` event. */
  savedSeq: number | null
  exists: boolean
  /** Branch of the worktree. Null if the worktree doesn't exist. */
  branch: string | null
  hasChanges: boolean
  /** Size of the changes as last reported. Null if unknown. Absent in snapshots of older servers. */
  size?: ChangeSize | null
  /** Files that were deleted from the worktree but that the session keeps until the deletion is confirmed. */
  heldDeletions: HeldDeletions | null
  /** Progress of copying the worktree's files to the session's files. Null if no copy is in progress. */
  saving: Saving | null
  /** Number of runners that have started since the last file was saved, or since the save began. */
  savingStarts: number
  /** Tools that the worktree was last prepared with. Absent if there were none. Remains if the worktree is deleted. */
  tools?: PreparedTools
}

/** A command or query for a worktree that hasn't been answered yet. */
export interface PendingCommand {
  /** Sequence number of the `worktree_command_requested` event. */
  seq: number
  askedAt: string
  /** True for a command, and false for a query, which changes nothing. */
  changes: boolean
  /** Run that requested the command. Null if a person requested it. */
  askingRun: string | null
  /** Runner that started the command, with the start time. */
  started: { generation: number; at: string } | null
}

const emptyWorktree: WorktreeState = {
  pending: {},
  lastRun: null,
  reportedSeq: null,
  savedSeq: null,
  exists: false,
  branch: null,
  hasChanges: false,
  heldDeletions: null,
  saving: null,
  savingStarts: 0,
}

export const worktreesPart: Part<WorktreesState> = {
  version: 5,
  initial: { byName: {}, collisions: [] },
  apply(worktrees, event) {
    if (event.type === "runner_claimed") return countSaverStart(worktrees)
    if (event.type === "worktree_collisions_changed") return withCollision(worktrees, event)
    const name = ("worktree" in event ? event.worktree : undefined) ?? MAIN_WORKTREE
    const before = worktreeOf({ worktrees }, name)
    const after = applyTo(before, event)
    if (after === before) return worktrees
    const collisions = after.exists ? worktrees.collisions : withoutCollisions(worktrees, name)
    return { byName: { ...worktrees.byName, [name]: after }, collisions }
  },
}

/** Returns the worktree with this name, or an empty one if it doesn't exist. */
export function worktreeOf({ worktrees }: { worktrees: WorktreesState }, name: string = MAIN_WORKTREE): WorktreeState {
  return Object.hasOwn(worktrees.byName, name) ? (worktrees.byName[name] ?? emptyWorktree) : emptyWorktree
}

/**
 * Returns false if a runner needn't look for the worktree, because it was never reported or requested, or was reported
 * as gone.
 */
export function mayHaveWorktree(state: { worktrees: WorktreesState }, name: string): boolean {
  const { exists, lastRun, reportedSeq, pending } = worktreeOf(state, name)
  return exists || (lastRun !== null && lastRun.seq > (reportedSeq ?? 0)) || Object.keys(pending).length > 0
}

/** Counts the start of a runner for every worktree that is being saved. */
function countSaverStart(worktrees: WorktreesState): WorktreesState {
  const saving = Object.entries(worktrees.byName).filter(([, worktree]) => worktree.saving !== null)
  if (saving.length === 0) return worktrees
  const counted = saving.map(([name, worktree]) => [name, { ...worktree, savingStarts: worktree.savingStarts + 1 }])
  return { ...worktrees, byName: { ...worktrees.byName, ...Object.fromEntries(counted) } }
}

const MAX_COLLISIONS = 100

function withCollision(before: WorktreesState, event: EventOf<"worktree_collisions_changed">): WorktreesState {
  const { worktrees, seq, file_count: fileCount, digest } = event
  const others = before.collisions.filter((one) => !isSamePair(one.worktrees, worktrees))
  const collisions = fileCount === 0 ? others : [...others, { worktrees, seq, fileCount, digest }]
  return { ...before, collisions: collisions.slice(-MAX_COLLISIONS) }
}

/** Removes the collisions of a deleted worktree. */
function withoutCollisions({ collisions }: WorktreesState, name: string): CollidingPair[] {
  return collisions.some(({ worktrees }) => worktrees.includes(name))
    ? collisions.filter(({ worktrees }) => !worktrees.includes(name))
    : collisions
}

export function isSamePair(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name))
}

function applyTo(worktree: WorktreeState, event: LogEvent): WorktreeState {
  switch (event.type) {
    case "worktree_command_requested": {
      // Only a command can be so large that it is stored in a blob, so a command that isn't loaded can't be a query.
      const changes = !("question" in event.command)
      const askingRun = event.asking_run ?? null
      const command = { seq: event.seq, askedAt: event.ts, changes, askingRun, started: null }
      return { ...worktree, pending: { ...worktree.pending, [event.command_id]: command } }
    }
    case "worktree_command_started": {
      const command = worktree.pending[event.command_id]
      if (!command) return worktree
      const started = { generation: event.generation, at: event.ts }
      return { ...worktree, pending: { ...worktree.pending, [event.command_id]: { ...command, started } } }
    }
    case "worktree_command_expired":
    case "worktree_command_finished": {
      const { [event.command_id]: _, ...pending } = worktree.pending
      return { ...worktree, pending }
    }
    case "worktree_changed": {
      const { exists, branch, has_changes } = event.status
      return {
        ...worktree,
        reportedSeq: event.seq,
        exists,
        branch,
        hasChanges: has_changes,
        size: sizeOf(event, worktree),
      }
    }
    case "worktree_prepared": {
      const { tools: _, ...others } = worktree
      return event.tools ? { ...others, tools: event.tools } : others
    }
    case "project_saved":
      return { ...worktree, savedSeq: event.seq }
    case "deletions_held":
      return { ...worktree, heldDeletions: { count: event.count, paths: event.paths } }
    case "deletions_settled":
      return { ...worktree, heldDeletions: null }
    case "workspace_save_progressed": {
      const { saved, total } = event
      const saving = saved < total ? { saved, total } : null
      return { ...worktree, saving, savingStarts: saving === null || saved > 0 ? 0 : worktree.savingStarts }
    }
    case "run_created":
      return usesWorktree(event) ? { ...worktree, lastRun: { runId: event.run_id, seq: event.seq } } : worktree
    default:
      return worktree
  }
}

/** Returns the size of the reported diff, or the last known size if the diff is stored outside the event. */
function sizeOf({ diff, status }: EventOf<"worktree_changed">, { size = null }: WorktreeState): ChangeSize | null {
  if (diff !== null && "files_changed" in diff) {
    return { files: diff.files_changed, additions: diff.insertions, deletions: diff.deletions }
  }
  return status.has_changes ? size : null
}
