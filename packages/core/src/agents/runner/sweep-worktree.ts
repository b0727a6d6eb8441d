import { abandonHopelessSaving } from "../../files/worktrees/saving.ts"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { type Launcher, START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { expireCommands, interruptCommands, pendingCommands } from "./worktree-command-rules.ts"

/**
 * Requests another runner while commands are waiting or files in a worktree are being saved, because the runner or its
 * requester may be gone. Neither continues forever. A command expires if no runner starts it soon. If a runner dies
 * while executing a command, the command is answered on its behalf. Saving is checked at growing intervals, and
 * abandoned after too many runners were lost. The hint remains while a runner serves the session, because the runner
 * may start saving at any time and doesn't add hints itself.
 */
export async function sweepWorktree(
  { due, launcher, ...deps }: SessionLogDeps & { due: DueList; launcher: Launcher },
  subject: Extract<DueSubject, { kind: "worktree" }>,
  options: { signal: AbortSignal },
): Promise<void> {
  const now = deps.clock.now()
  const session = await openSessionLog(deps, subject.sid, options)
  if (!isLive(session.state)) return
  await session.decide(expireCommands(now), options)
  const { executor } = session.state.runner
  const isServed = executor !== null && !launcher.isGone?.(executor)
  if (!isServed) {
    await session.decide(interruptCommands(executor, now), options)
    await session.decide(abandonHopelessSaving(executor), options)
  }
  const hasCommands = pendingCommands(session.state).length > 0
  const saving = Object.values(session.state.worktrees.byName).filter((worktree) => worktree.saving !== null)
  if (!hasCommands && saving.length === 0) {
    if (isServed) await due.add(subject, nextCheckAt(now, session.state.changedAt), options)
    return
  }
  const savingStarts = Math.max(0, ...saving.map((worktree) => worktree.savingStarts))
  await due.add(subject, now + START_WITHIN_MS * 2 ** (hasCommands ? 0 : savingStarts), options)
  await launcher.serve?.(subject.sid, options)
}

/**
 * Returns the time of the next check on a session that a runner serves, because the runner may have died silently. The
 * interval grows with the time since the last change. Times are rounded, so that the hints of several runs coincide.
 */
function nextCheckAt(now: number, changedAt: string | null): number {
  const silentMs = changedAt === null ? 0 : now - Date.parse(changedAt)
  return Math.ceil((now + Math.max(START_WITHIN_MS, silentMs)) / START_WITHIN_MS) * START_WITHIN_MS
}
