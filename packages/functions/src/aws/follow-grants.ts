import { reportQueued } from "@switchyard/core/agents/runner/waiting-runs"
import { openSessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import type { StagePlaces } from "./stage-places.ts"

export interface FollowGrantsDeps extends SessionLogDeps {
  places: Pick<StagePlaces, "waiting">
  /** Launches a runner for a session that got a slot. */
  launch: (sid: string, options: { signal: AbortSignal }) => Promise<void>
  report: (error: unknown) => void
}

/**
 * Number of sessions at the front of the queue whose log shows each new position. Sessions further back only log the
 * position where they joined.
 */
const REPORTED_BEFORE = 10

/**
 * Launches the sessions that got a slot, and logs the new positions of the sessions that are now at the front of the
 * queue. Errors are reported: the slot of a failed launch goes to the next session after a minute.
 */
export async function followGrants(
  deps: FollowGrantsDeps,
  granted: string[],
  options: { signal: AbortSignal },
): Promise<void> {
  if (granted.length === 0) return
  const logged = (work: Promise<void>) => work.catch(deps.report)
  await Promise.all([
    logged(reportPositions(deps, options)),
    ...granted.map((sid) => logged(deps.launch(sid, options))),
  ])
}

async function reportPositions(deps: FollowGrantsDeps, options: { signal: AbortSignal }): Promise<void> {
  let before = 0
  for await (const { sid } of deps.places.waiting(options)) {
    if (before === REPORTED_BEFORE) return
    await (await openSessionLog(deps, sid, options)).decide(reportQueued(before), options)
    before++
  }
}
