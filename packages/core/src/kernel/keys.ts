import type { InboxEvent, TerminalEvent } from "../agents/terminals/schema.ts"
import type { SessionEvent } from "../events.ts"
import type { LogName } from "../log/event.ts"

/**
 * Each session's data is stored in partitions and under a blob prefix of its own, so a single policy can confine a
 * runner. All of these names are defined in this file, and so is the only key that runners must not reach.
 */

export function logName(sid: string): LogName<SessionEvent> {
  return `s/${sid}/log`
}

export function snapshotKey(sid: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/snapshot`, sort: "state" }
}

/** Returns the partition for copies of a topic's events. Without it, lists would have to read the whole log. */
export function historyPartition(sid: string, topic: string): string {
  return `s/${sid}/history/${topic}`
}

/** Returns the partition for runs that the state has forgotten, because they ended long ago. */
export function endedRunsPartition(sid: string): string {
  return `s/${sid}/runs`
}

export function terminalLogName(sid: string, pty: string): LogName<TerminalEvent> {
  return `s/${sid}/term/${pty}`
}

/**
 * Returns the key of a terminal's newest snapshot. The snapshot is only an optimisation: viewers can attach without it.
 */
export function terminalSnapshotKey(sid: string, pty: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/terminals`, sort: pty }
}

/** Returns the name of the log with messages to one runner. The next runner doesn't receive them. */
export function inboxName(sid: string, generation: number): LogName<InboxEvent> {
  return `s/${sid}/inbox/${generation}`
}

/** Returns the partition for launches that are sent to a starting runner. */
export function launchesPartition(sid: string): string {
  return `s/${sid}/launches`
}

/**
 * Returns the key of a launch's ticket. It is outside of the session's partitions, so that runners can't write the
 * ticket.
 */
export function runnerTicketKey({ sid, generation, attempt }: { sid: string; generation: number; attempt: number }): {
  partition: string
  sort: string
} {
  return { partition: `runner-tickets/${sid}`, sort: `${generation}/${attempt}` }
}

/**
 * Returns the key of the sealed credentials for the session's repository: those from its URL ("repository"), or the
 * owner's credentials for its host ("host").
 */
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
 * Returns the prefix for the blobs of one incarnation of a session. If a deleted session is recreated with the same ID,
 * it gets a new prefix, so the old blobs can be removed at any time.
 */
export function incarnationBlobs(sid: string, incarnation: number): string {
  return `s/${sid}/${incarnation}/`
}

export function artifactBlobs(sid: string, incarnation: number): string {
  return `${incarnationBlobs(sid, incarnation)}artifacts/`
}
