import { reportQueued } from "@switchyard/core/agents/runner/waiting-runs"
import type { SessionLog } from "@switchyard/core/kernel/session-log"
import type { Clock } from "@switchyard/core/time"
import { type LaunchGoal, needsRunner } from "./launch-goal.ts"
import type { StagePlaces } from "./stage-places.ts"

interface AwaitPlaceDeps {
  clock: Clock
  places: StagePlaces
  ownerOf: (sid: string, options: { signal: AbortSignal }) => Promise<string>
  /** Asks the session's task to exit once it is idle. */
  tellToYield: (holder: { sid: string; task: string }, options: { signal: AbortSignal }) => Promise<void>
}

/**
 * Maximum time that a worker waits for a slot, and the interval at which it checks for one. After that time, the sweep
 * launches another worker.
 */
const PLACE_WITHIN_MS = 150_000
const ASK_EVERY_MS = 5000

/**
 * Waits until the session has a slot. Returns `in vain` after a while, or `for nothing` if the session no longer needs
 * a slot. Logs each change in its queue position.
 */
export async function awaitPlace(
  { clock, places, ownerOf, tellToYield }: AwaitPlaceDeps,
  session: SessionLog,
  { goal, dead }: { goal: LaunchGoal; dead: string | null },
  options: { signal: AbortSignal },
): Promise<"with success" | "in vain" | "for nothing"> {
  const { sid } = session
  const owner = await ownerOf(sid, options)
  const until = clock.monotonic() + PLACE_WITHIN_MS
  let reported: number | undefined
  while (goal.isOpen(await session.catchUp(options), dead)) {
    const before = await places.take(sid, owner, options)
    if (before === undefined) return "with success"
    if (before !== reported) await session.decide(reportQueued(before), options)
    reported = before
    await places.askToYield(sid, (holder) => tellToYield(holder, options), options)
    if (clock.monotonic() >= until) return "in vain"
    await clock.sleep(ASK_EVERY_MS, options)
  }
  if (!needsRunner(session.state)) await places.leaveQueue(sid, options)
  return "for nothing"
}
