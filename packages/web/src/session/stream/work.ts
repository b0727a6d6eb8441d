import { type EventOfType, inlined, type StudioEvent } from "./event.ts"

export interface CommandError {
  code: string
  message: string
  details: Record<string, unknown>
}

/** The last merge of a session's work, and any remaining steps. */
export interface MergedView {
  message: string
  commit: string | null
  /** Whether it can be undone, as far as the log shows. */
  canUndo: boolean
  /** True if the worktree was to be deleted and still exists; the message says why. */
  worktreeKept: boolean
  /** Failure of a later step. */
  warning: string | null
  /** The last step, if the merge is in the server's own clone. */
  push: { remote: string; branch: string; done: boolean; error: CommandError | null } | null
}

/** Work that existed only in a worktree that was removed or reset. */
export interface KeptView {
  /** Prefix of the refs under which it is kept. */
  ref: string
  until: string | null
  /** Git command that checks it out. */
  command: string | null
  /** Submodules and other repositories that contain work. */
  inner: { path: string; ref: string; repository: string }[]
  /** Number of files and folders ignored by git, which aren't kept. */
  ignored: number
}

/** State of a session's worktree, folded from the log. */
export interface WorkView {
  /** Last event about the worktree's state; 0 if there is none. */
  changedSeq: number
  /** Last event about the evidence for the work; 0 if there is none. */
  evidenceSeq: number
  /** Whether there is work to merge. */
  hasChanges: boolean
  /** Its branch; null before it is known. */
  branch: string | null
  /** Deletions awaiting confirmation, out of `of` files. `paths` contains the first few. */
  held: { count: number; paths: string[]; of: number } | null
  /** Progress of a background save; null when all files are saved. */
  saving: { saved: number; total: number } | null
  /** Last merge that was begun. It may be paused by conflicts. */
  begun: { direction: "merge" | "update"; runHooks: boolean } | null
  merged: MergedView | null
  /** Work kept by the last removal or reset; null once an agent works again. */
  kept: KeptView | null
  /** Latest command that failed, until the next command or run. */
  failure: { command: string; error: CommandError } | null
  /** Commands without an answer yet, by ID. */
  pending: Readonly<Record<string, { command: string; runHooks: boolean }>>
}

export const noWork: WorkView = {
  changedSeq: 0,
  evidenceSeq: 0,
  hasChanges: false,
  branch: null,
  held: null,
  saving: null,
  begun: null,
  merged: null,
  kept: null,
  failure: null,
  pending: {},
}

export function reduceWork(work: WorkView, event: StudioEvent): WorkView {
  switch (event.type) {
    case "worktree_changed": {
      const { exists = false, has_changes = false, branch = null } = event.status ?? {}
      return { ...work, changedSeq: event.seq, hasChanges: exists && has_changes, branch }
    }
    case "agent_turn_finished":
      return { ...work, changedSeq: event.seq }
    case "verification_planned":
    case "agent_turn_started":
    case "check_started":
    case "check_finished":
    case "review_started":
    case "review_finished":
    case "verification_attempt":
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return { ...work, evidenceSeq: event.seq }
    case "deletions_held":
      return { ...work, held: { count: event.count, paths: event.paths, of: event.file_count } }
    case "deletions_settled":
      return { ...work, held: null }
    case "workspace_save_progressed":
      return { ...work, saving: event.saved < event.total ? { saved: event.saved, total: event.total } : null }
    case "run_created":
      return work.merged || work.kept || work.failure
        ? { ...work, merged: work.merged && unpushed(work.merged), kept: null, failure: null }
        : work
    case "worktree_command_requested":
      return requested(work, event)
    case "worktree_command_expired":
      return { ...work, ...failed(work, event.command_id, EXPIRED), pending: without(work.pending, event.command_id) }
    case "worktree_command_finished":
      return finished(work, event)
    default:
      return work
  }
}

/** If the merge was before the latest run, only what still has to be pushed matters. */
function unpushed(merged: MergedView): MergedView | null {
  return merged.push && !merged.push.done ? { ...merged, worktreeKept: false } : null
}

function requested(work: WorkView, event: EventOfType<"worktree_command_requested">): WorkView {
  const request = inlined(event.command)
  if (!request || !("command" in request)) return work
  const { command, run_hooks: runHooks = false } = request
  return { ...work, failure: null, pending: { ...work.pending, [event.command_id]: { command, runHooks } } }
}

const EXPIRED: CommandError = {
  code: "command_expired",
  message: "No runner was ready in time, so nothing changed. Try again.",
  details: {},
}

/** The failure of a pending command. A merge shows why its push failed, and the chat why its files weren't written. */
function failed(work: WorkView, commandId: string, error: CommandError): Pick<WorkView, "failure"> {
  const { command } = work.pending[commandId] ?? {}
  const isShown = command === undefined || command === "write" || (command === "push" && work.merged?.push != null)
  return { failure: isShown ? work.failure : { command, error } }
}

function finished(work: WorkView, event: EventOfType<"worktree_command_finished">): WorkView {
  const pending = Object.hasOwn(work.pending, event.command_id) ? work.pending[event.command_id] : undefined
  if (!pending) return work
  const { command, runHooks } = pending
  const failure = event.answer === null && event.error ? failed(work, event.command_id, event.error) : null
  const after = { ...work, ...failure, pending: without(work.pending, event.command_id) }
  if (command === "undo" && event.answer) return { ...after, merged: null }
  if (command === "push") return { ...after, merged: work.merged && pushed(work.merged, event) }
  const answer = event.answer && inlined(event.answer)
  if (!answer) return after
  const kept = "message" in answer ? keptBy(answer.kept) : null
  const begun: WorkView["begun"] =
    command === "merge" || command === "update" ? { direction: command, runHooks } : work.begun
  // The answer to an update has the same fields, but no further step follows it.
  const isMade = "status" in answer && begun?.direction === "merge"
  return { ...after, begun, merged: isMade ? mergedBy(answer, event.error) : work.merged, kept: kept ?? work.kept }
}

type Answer = Exclude<ReturnType<typeof inlined<EventOfType<"worktree_command_finished">["answer"]>>, null | undefined>

function keptBy(kept: Extract<Answer, { message: string }>["kept"]): KeptView | null {
  if (!kept || kept.ref === null) return null
  const { ref, until = null, command = null, inner, ignored } = kept
  return { ref, until, command, inner, ignored: ignored.count }
}

function mergedBy(
  answer: Extract<Answer, { status: string }>,
  error: EventOfType<"worktree_command_finished">["error"],
): MergedView {
  const { message, commit, worktree_kept, push } = answer
  return {
    message,
    commit,
    canUndo: commit !== null,
    worktreeKept: worktree_kept !== undefined,
    warning: error?.message ?? null,
    push: push ? { ...push, done: false, error: null } : null,
  }
}

function pushed(merged: MergedView, event: EventOfType<"worktree_command_finished">): MergedView {
  if (!merged.push) return merged
  const answer = event.answer && inlined(event.answer)
  if (!answer) return { ...merged, push: { ...merged.push, error: event.error } }
  const isIt = "remote" in answer && answer.remote === merged.push.remote && answer.branch === merged.push.branch
  return isIt ? { ...merged, canUndo: false, push: { ...merged.push, done: true, error: null } } : merged
}

function without(pending: WorkView["pending"], commandId: string): WorkView["pending"] {
  const { [commandId]: _, ...rest } = pending
  return rest
}
