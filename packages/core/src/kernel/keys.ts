import type { InboxEvent, TerminalEvent } from "../agents/terminals/schema.ts"
import type { SessionEvent } from "../events.ts"
import type { LogName } from "../log/event.ts"

/**
 * Each session stores its data in its own partitions and under its own blob prefix, so that a single policy can confine
 * a runner. This file defines all of these names. It also defines the only key that runners must not reach.
 */

export function logName(sid: string): LogName<SessionEvent> {
  return `s/${sid}/log`
}

export function snapshotKey(sid: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/snapshot`, sort: "state" }
}

/**
 * Returns the partition for copies of a topic's events. Without these copies, lists would have to read the whole log.
 */
export function historyPartition(sid: string, topic: string): string {
  return `s/${sid}/history/${topic}`
}

/** Returns the partition for runs that ended long ago and are no longer part of the state. */
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

/** Returns the name of the log with messages to one runner. The next runner doesn't receive these messages. */
export function inboxName(sid: string, generation: number): LogName<InboxEvent> {
  return `s/${sid}/inbox/${generation}`
}

/** Returns the partition for launch messages to a runner that is starting. */
export function launchesPartition(sid: string): string {
  return `s/${sid}/launches`
}

/**
 * Returns the key of a launch's ticket. It is outside the session's partitions, so that runners can't write the ticket.
 */
export function runnerTicketKey({ sid, generation, attempt }: { sid: string; generation: number; attempt: number }): {
  partition: string
  sort: string
} {
  return { partition: `runner-tickets/${sid}`, sort: `${generation}/${attempt}` }
}

/**
 * Returns the key of the encrypted credentials for the session's repository. These are the credentials from its URL
 * ("repository"), or the owner's credentials for its host ("host").
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
 * it gets a new prefix. The old blobs can therefore be removed at any time.
 */
export function incarnationBlobs(sid: string, incarnation: number): string {
  return `s/${sid}/${incarnation}/`
}

/** Returns the key of an archive that a runner hands over, so that it is stored for the owner's later sessions. */
export function preparedBlob(sid: string, incarnation: number, name: string): string {
  return `${incarnationBlobs(sid, incarnation)}prepared/${name}`
}

export function artifactBlobs(sid: string, incarnation: number): string {
  return `${incarnationBlobs(sid, incarnation)}artifacts/`
}

/** Returns the key of a piece of an agent's saved state. */
export function savedPiece({ sid, incarnation }: { sid: string; incarnation: number }, sha256: string): string {
  return `${artifactBlobs(sid, incarnation)}saves/pieces/${sha256}`
}
