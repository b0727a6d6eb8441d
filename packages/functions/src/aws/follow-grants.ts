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
 * Launches each session that got a slot. Then logs the new positions of the sessions that are now at the front of the
 * queue. Errors are reported: the slot of a failed launch goes to the next session after a minute. Returns the sessions
 * that got a slot. If `granted` throws, waits for the launches that have begun before it throws, too.
 */
export async function followGrants(
  deps: FollowGrantsDeps,
  granted: AsyncIterable<string> | Iterable<string>,
  options: { signal: AbortSignal },
): Promise<string[]> {
  const logged = (work: Promise<void>) => work.catch(deps.report)
  const sids: string[] = []
  const launches: Promise<void>[] = []
  try {
    for await (const sid of granted) {
      sids.push(sid)
      launches.push(logged(deps.launch(sid, options)))
    }
    if (sids.length > 0) await logged(reportPositions(deps, options))
  } finally {
    // Lambda freezes a function that has returned or failed, so unfinished launches would be lost.
    await Promise.all(launches)
  }
  return sids
}

/** Yields the sessions that got a slot while `grant` ran, even if it then throws. */
export async function* grantsOf(grant: (onGranted: (sid: string) => void) => Promise<unknown>): AsyncGenerator<string> {
  const granted: string[] = []
  try {
    await grant((sid) => granted.push(sid))
  } finally {
    yield* granted
  }
}

async function reportPositions(deps: FollowGrantsDeps, options: { signal: AbortSignal }): Promise<void> {
  let before = 0
  for await (const { sid } of deps.places.waiting(options)) {
    if (before === REPORTED_BEFORE) return
    try {
      await (await openSessionLog(deps, sid, options)).decide(reportQueued(before), options)
    } catch (error) {
      options.signal.throwIfAborted()
      // The other sessions still hear their positions.
      deps.report(error)
    }
    before++
  }
}
