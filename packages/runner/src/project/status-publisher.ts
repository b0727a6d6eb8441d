import { createHash } from "node:crypto"
import { appendAsRunner } from "@switchyard/core/agents/terminals/rules"
import type { NewEvent } from "@switchyard/core/events"
import { namedWorktree } from "@switchyard/core/files/worktrees/names-schema"
import type { HeldDeletions, WorktreeStatus } from "@switchyard/core/files/worktrees/schema"
import { worktreeOf } from "@switchyard/core/files/worktrees/state"
import type { CommittedFiles, Glance, Worktrees } from "@switchyard/core/files/worktrees/worktrees"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import { rulesEvent } from "../git/worktrees/repository-rules.ts"
import { findWork } from "../git/worktrees/worktree-record.ts"
import type { ProjectDeps } from "./project-deps.ts"
import { openedWorktree } from "./worktree-location.ts"

/**
 * Appends a worktree's status to the log if it has changed. A brief status omits the diff until a client requests it.
 * Right after a commit, `committed` saves looking at the worktree again. With `ifChanged`, returns a glance at
 * the work, and does nothing else if the work is the same as at the last call with `ifChanged`.
 */
export type PublishStatus = (
  signal: AbortSignal,
  about?: { isBrief?: boolean; ifChanged?: boolean; committed?: CommittedFiles | undefined },
) => Promise<Glance | undefined>

export function createStatusPublisher(
  { project, open }: { project: ProjectDeps; open: (signal: AbortSignal) => Promise<Worktrees> },
  session: SessionLog,
  generation: number,
): PublishStatus {
  let published = ""
  let stamp: string | undefined
  return async (signal, { isBrief = false, ifChanged = false, committed } = {}) => {
    const { heldDeletions: held } = worktreeOf(session.state, project.worktree)
    const worktrees = await open(signal)
    const now = ifChanged ? await worktrees.glance({ signal }) : undefined
    if (now && now.stamp === stamp) return now
    stamp = undefined
    const event = await describe(project, worktrees, { held, isBrief, committed }, signal)
    const digest = createHash("sha256").update(JSON.stringify(event)).digest("hex")
    if (digest !== published) {
      const rules = await newRules(project, session, signal)
      await session.decide(appendAsRunner(generation, [...rules, event]), { signal })
    }
    published = digest
    stamp = now?.stamp
    return now
  }
}

/**
 * Returns the worktree's status. Adds information that only the runner has: files that were left out, and deletions
 * that are waiting for confirmation.
 */
export async function statusOf(
  { leftOut, refused }: Pick<ProjectDeps, "leftOut" | "refused">,
  worktrees: Worktrees,
  { held }: { held: HeldDeletions | null },
  { signal }: { signal: AbortSignal },
): Promise<WorktreeStatus> {
  return withLeftOut({ leftOut, refused }, await worktrees.status({ signal }), { held })
}

function withLeftOut(
  { leftOut, refused }: Pick<ProjectDeps, "leftOut" | "refused">,
  found: WorktreeStatus,
  { held }: { held: HeldDeletions | null },
): WorktreeStatus {
  const both = [refused, leftOut].flatMap((files) => files.get(found.path ?? "") ?? [])
  // If a file was left out for two reasons, show git's reason.
  const left_out = [...new Map(both.toReversed().map((file) => [file.path, file])).values()].toReversed().slice(0, 100)
  return { ...found, ...(left_out.length > 0 && { left_out }), ...(held && { unconfirmed_deletions: held }) }
}

/** Returns the event for the rules in the repository's file, unless the log already contains it. */
async function newRules(project: ProjectDeps, { sid, state }: SessionLog, signal: AbortSignal): Promise<NewEvent[]> {
  const { repository } = state.session
  const opened = repository && (await openedWorktree(project, { sid, repository, state }, { signal }))
  if (!opened || !(await findWork(opened.worktree))) return []
  const event = await rulesEvent(opened.worktree, { name: project.worktree, state }, { signal })
  return event ? [event] : []
}

async function describe(
  project: ProjectDeps,
  worktrees: Worktrees,
  { held, isBrief, committed }: { held: HeldDeletions | null; isBrief: boolean; committed: CommittedFiles | undefined },
  signal: AbortSignal,
): Promise<NewEvent> {
  const { status: found, branches, diff } = await worktrees.overview({ withDiff: !isBrief, committed, signal })
  const status = withLeftOut(project, found, { held })
  const conflicts = status.merge ? await worktrees.conflicts({ signal }) : null
  return { type: "worktree_changed", ...namedWorktree(project.worktree), status, branches, diff, conflicts }
}
