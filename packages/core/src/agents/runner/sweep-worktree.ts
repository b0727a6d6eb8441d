import { abandonHopelessSaving } from "../../files/worktrees/saving.ts"
import type { DueList, DueSubject } from "../../kernel/due.ts"
import { openSessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import { type Launcher, START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { expireCommands, interruptCommands, pendingCommands } from "./worktree-command-rules.ts"

/**
 * A runner that was asked for may be gone, or whoever asked for it: while commands wait, or files of the worktree are to be
 * saved, it is asked for again. Each has an end: a command expires unless a runner starts it soon, and is answered for a
 * runner that died with it; files are given up when too many runners were lost with them, and looked after less and less
 * often till then. Its hint stays while a runner serves the session, which may begin to save at any moment: so a runner adds none.
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
 * The time to check a served session again: as much later as nothing has happened in it, for its runner may have died without a
 * word. The grid makes one hint of those that several ends of runs have left.
 */
function nextCheckAt(now: number, changedAt: string | null): number {
  const silentMs = changedAt === null ? 0 : now - Date.parse(changedAt)
  return Math.ceil((now + Math.max(START_WITHIN_MS, silentMs)) / START_WITHIN_MS) * START_WITHIN_MS
}
