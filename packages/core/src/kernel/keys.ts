import type { InboxEvent, TerminalEvent } from "../agents/terminals/schema.ts"
import type { SessionEvent } from "../events.ts"
import type { LogName } from "../log/event.ts"

/**
 * Everything of a session is stored in its own partitions and its own blob prefix, so that one policy can confine a runner.
 * This file has all of their names, and nothing else makes one. Beside them it has one name that a runner must not reach.
 */

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

export function terminalLogName(sid: string, pty: string): LogName<TerminalEvent> {
  return `s/${sid}/term/${pty}`
}

/** The newest snapshot of each terminal: a hint, which an attach may do without. */
export function terminalSnapshotKey(sid: string, pty: string): { partition: string; sort: string } {
  return { partition: `s/${sid}/terminals`, sort: pty }
}

/** Messages to one runner: nothing old is replayed to the next. */
export function inboxName(sid: string, generation: number): LogName<InboxEvent> {
  return `s/${sid}/inbox/${generation}`
}

/** Launches for a runner that is on its way. */
export function launchesPartition(sid: string): string {
  return `s/${sid}/launches`
}

/** A launch's ticket. It isn't the session's: a runner can't write it. */
export function runnerTicketKey({ sid, generation, attempt }: { sid: string; generation: number; attempt: number }): {
  partition: string
  sort: string
} {
  return { partition: `runner-tickets/${sid}`, sort: `${generation}/${attempt}` }
}

/** The sealed credentials for the repository that the session works in: those of its URL, or its owner's for the host. */
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

/** True for a partition of the session. */
export function isOfSession(partition: string, sid: string): boolean {
  return partition.startsWith(`s/${sid}/`)
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
