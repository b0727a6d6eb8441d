import type { InboxEvent, TerminalEvent } from "../agents/terminals/schema.ts"
import type { SessionEvent } from "../events.ts"
import type { LogName } from "../log/event.ts"

/**
 * Each session's data is stored in its own partitions and under its own blob prefix, so a single policy can confine a
 * runner. All of these names are defined in this file, as is the one key that runners must not reach.
 */

export function logName(sid: string): LogName<SessionEvent> {
  return `s/${sid}/log`
}

export function snapshotKey(sid: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/snapshot`, sort: "state" }
}

/** Copies of a topic's events, for lists that would otherwise have to read the whole log. */
export function historyPartition(sid: string, topic: string): string {
  return `s/${sid}/history/${topic}`
}

/** Runs that ended so long ago that the state has forgotten them. */
export function endedRunsPartition(sid: string): string {
  return `s/${sid}/runs`
}

export function terminalLogName(sid: string, pty: string): LogName<TerminalEvent> {
  return `s/${sid}/term/${pty}`
}

/** Newest snapshot of each terminal. Only a hint: attaching works without it. */
export function terminalSnapshotKey(sid: string, pty: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/terminals`, sort: pty }
}

/** Messages to one runner. They aren't replayed to the next runner. */
export function inboxName(sid: string, generation: number): LogName<InboxEvent> {
  return `s/${sid}/inbox/${generation}`
}

/** Launches for a runner that is starting. */
export function launchesPartition(sid: string): string {
  return `s/${sid}/launches`
}

/** A launch's ticket. It is stored outside of the session's partitions, so that runners can't write it. */
export function runnerTicketKey({ sid, generation, attempt }: { sid: string; generation: number; attempt: number }): {
  partition: string
  sort: string
} {
  return { partition: `runner-tickets/${sid}`, sort: `${generation}/${attempt}` }
}

/** Sealed credentials for the session's repository: from its URL, or the owner's credentials for the host. */
export function repositoryCredentialsKey(
  sid: string,
  from: "repository" | "host",
): { partition: string; sort: string } {
  return { partition: `s/${sid}/credentials`, sort: from }
}

export function leaseKey(sid: string, runId: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/lease`, sort: runId }
}

export function checkpointPartition(sid: string, runId: string): string {
  return `s/${sid}/checkpoint/${runId}`
}

/** True if the partition belongs to the session. */
export function isOfSession(partition: string, sid: string): boolean {
  return partition.startsWith(`s/${sid}/`)
}

export function sessionBlobs(sid: string): string {
  return `s/${sid}/`
}

/**
 * Blobs of one incarnation of a session. If a deleted session is recreated with the same id, it gets a new prefix, so
 * the old blobs can be removed at any time.
 */
export function incarnationBlobs(sid: string, incarnation: number): string {
  return `s/${sid}/${incarnation}/`
}

export function artifactBlobs(sid: string, incarnation: number): string {
  return `${incarnationBlobs(sid, incarnation)}artifacts/`
}
