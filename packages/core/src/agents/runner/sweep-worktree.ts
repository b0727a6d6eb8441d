import { abandonHopelessSaving } from "../../files/worktrees/saving.ts"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Launcher } from "../../work/runs/launcher.ts"
import { START_WITHIN_MS } from "../../work/runs/runs.ts"
import { expireCommands, interruptCommands, pendingCommands } from "./worktree-command-rules.ts"

/**
 * A runner that was asked for may be gone, or whoever asked for it: while commands wait, or files of the worktree are to be
 * saved, it is asked for again. Each has an end: a command expires unless a runner starts it soon, and is answered for a
 * runner that died with it; files are given up when too many runners were lost with them, and looked after less and less
 * often till then.
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
  if (executor === null || launcher.isGone?.(executor)) {
    await session.decide(interruptCommands(executor, now), options)
    await session.decide(abandonHopelessSaving(executor), options)
  }
  const hasCommands = pendingCommands(session.state).length > 0
  const saving = Object.values(session.state.worktrees.byName).filter((worktree) => worktree.saving !== null)
  if (!hasCommands && saving.length === 0) return
  const savingStarts = Math.max(0, ...saving.map((worktree) => worktree.savingStarts))
  await due.add(subject, now + START_WITHIN_MS * 2 ** (hasCommands ? 0 : savingStarts), options)
  await launcher.serve?.(subject.sid, options)
}
