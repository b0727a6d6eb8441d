import type { SessionEvent } from "../events.ts"
import type { LogName } from "../log/event.ts"

/** Everything of a session lies under its own partitions and its own blob prefix, so that one policy can confine a runner. */

export function logName(sid: string): LogName<SessionEvent> {
  return `s/${sid}/log`
}

export function snapshotKey(sid: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/snapshot`, sort: "state" }
}

/** Copies of the events of one topic, for lists that would read the whole log otherwise. */
export function historyPartition(sid: string, topic: string): string {
  return `s/${sid}/history/${topic}`
}

/** Runs that ended so long ago that the state has forgotten them. */
export function endedRunsPartition(sid: string): string {
  return `s/${sid}/runs`
}

export function leaseKey(sid: string, runId: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/lease`, sort: runId }
}

export function checkpointPartition(sid: string, runId: string): string {
  return `s/${sid}/checkpoint/${runId}`
}

export function sessionBlobs(sid: string): string {
  return `s/${sid}/`
}

/**
 * The blobs of one life of a session. A session that is deleted and opened again under the same id has new ones, so the
 * old can be removed at leisure.
 */
export function incarnationBlobs(sid: string, incarnation: number): string {
  return `s/${sid}/${incarnation}/`
}

export function artifactBlobs(sid: string, incarnation: number): string {
  return `${incarnationBlobs(sid, incarnation)}artifacts/`
}
