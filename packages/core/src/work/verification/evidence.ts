import type { EventOf, LogEvent } from "../../events.ts"
import type { WorktreeStatus } from "../../files/worktrees/schema.ts"
import { resultOf } from "../gate/verdict.ts"
import type { EvidenceAttempt, EvidenceCheck, EvidenceState } from "./evidence-schema.ts"
import type { Reviewer } from "./review-schema.ts"

/** Evidence collected from a verified run's events. */
export interface GatheredEvidence {
  planned: Pick<EventOf<"verification_planned">, "base_commit" | "max_attempts"> | null
  attempts: EvidenceAttempt[]
  checks: EvidenceCheck[]
  /**
   * True if the work continued after the newest attempt: the agent took another turn, or the branch moved and is being
   * checked again.
   */
  wentOn: boolean
  isOver: boolean
  /** Agent that is currently reviewing the work. */
  reviewing: Reviewer | null
}

export const noEvidenceGathered: GatheredEvidence = {
  ...{ planned: null, attempts: [], checks: [], wentOn: false, isOver: false, reviewing: null },
}

/** Adds an event of the run to the evidence. */
export function gather(before: GatheredEvidence, event: LogEvent): GatheredEvidence {
  switch (event.type) {
    case "verification_planned":
      return { ...before, planned: event }
    case "agent_turn_started":
      return { ...before, checks: [], wentOn: true, reviewing: null }
    // Drop the checks of an unfinished attempt, because the new runner repeats them.
    case "run_claimed":
      return { ...before, ...(before.wentOn && { checks: [] }), reviewing: null }
    case "review_started":
      return { ...before, reviewing: event.reviewer }
    case "review_finished":
      return { ...before, reviewing: null }
    case "check_started":
      // A check without a new turn of the agent means that the branch has moved, and that its new commit is being
      // checked.
      if (!before.wentOn && before.attempts.length > 0) return { ...before, checks: [begun(event)], wentOn: true }
      return { ...before, checks: [...unfinishedReplaced(before.checks), begun(event)] }
    case "check_finished":
      return { ...before, checks: [...unfinishedReplaced(before.checks), finished(event)] }
    case "verification_attempt":
      return { ...before, attempts: [...before.attempts, attemptOf(event)], wentOn: false }
    case "run_completed":
    case "run_failed":
    case "run_cancelled":
      return { ...before, isOver: true, reviewing: null }
    default:
      return before
  }
}

/**
 * Returns the state of the evidence for a worktree in this state and, if the evidence no longer applies, the reason.
 */
export function evidenceStatus(
  { attempts, checks, wentOn, isOver }: GatheredEvidence,
  status: Pick<WorktreeStatus, "exists" | "commit" | "uncommitted"> | undefined,
): { state: EvidenceState; reason: string | null } {
  const latest = attempts.at(-1)
  if (!isOver && wentOn && checks.length > 0) return { state: "checking", reason: null }
  if (!isOver && (wentOn || !latest)) return { state: "pending", reason: null }
  if (!latest) return { state: "none", reason: "The task ended before its work was checked." }
  const reason = voidReason(latest.commit, wentOn, status)
  return { state: reason === null ? "valid" : "void", reason }
}

function voidReason(
  commit: string,
  wentOn: boolean,
  status: Pick<WorktreeStatus, "exists" | "commit" | "uncommitted"> | undefined,
): string | null {
  if (wentOn) return "The agent has continued working since then."
  if (!status?.exists) return "The worktree is gone."
  if (status.uncommitted) return "Files have changed since then."
  if (status.commit === commit) return null
  return status.commit
    ? `The branch has since moved to ${status.commit.slice(0, 9)}.`
    : "The branch may have moved since then."
}

/** Drops the unfinished check. Only one check runs at a time, so the new event replaces it. */
function unfinishedReplaced(checks: EvidenceCheck[]): EvidenceCheck[] {
  return checks.filter(({ passed }) => passed !== undefined)
}

function begun({ name, command }: EventOf<"check_started">): EvidenceCheck {
  return { name, command, output: "", original_tests: false }
}

function finished(event: EventOf<"check_finished">): EvidenceCheck {
  return { ...resultOf(event), output: event.output, original_tests: event.tests_of !== undefined }
}

function attemptOf(event: EventOf<"verification_attempt">): EvidenceAttempt {
  const { attempt_number, commit, ts, passed, result, summary, issues, verdict, review } = event
  return { attempt_number, commit, ts, passed, result, summary, issues, verdict, ...(review && { review }) }
}
