import { AppError } from "../../errors.ts"
import type { ArchiveLauncher } from "../../files/archives/archive-job.ts"
import type { Executor, RunKind } from "./kinds.ts"

/** Time after which a launch that hasn't led to a claim is checked again. */
export const START_WITHIN_MS = 30_000

/** A run, and the generation before its next claim. */
export interface ClaimableRun {
  sid: string
  runId: string
  expectedGeneration: number
}

/** A run with its kind, which determines the executor. */
export interface Launch extends ClaimableRun {
  kind: RunKind
}

/** A stored webhook delivery. */
export interface DeliveryLaunch {
  sid: string
  owner: string
  delivery: string
}

/**
 * Launches executors for runs. A launch may be late, repeated or lost: only a claim counts, and the sweep relaunches
 * unclaimed runs.
 */
export interface Launcher extends ArchiveLauncher {
  /** Returns once the launch is under way. A failed launch is reported by the driver and counts as lost. */
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Present if a runner can serve worktree requests for a session that has no run. */
  serve?(sid: string, options: { signal: AbortSignal }): Promise<void>
  /** Present if there are webhooks. Returns once an attempt is under way. The sweep repeats lost attempts. */
  startDelivery?(delivery: DeliveryLaunch, options: { signal: AbortSignal }): Promise<void>
  /**
   * Present if runners are limited. Returns how many sessions are ahead of this one in the queue. Undefined if it isn't
   * queued.
   */
  waitingBefore?(sid: string, options: { signal: AbortSignal }): Promise<number | undefined>
  /**
   * Present if this process queues launches. Returns true if a launch for this session is queued, so it needn't be
   * launched again.
   */
  isHeld?(sid: string): boolean
  /** Time after which a launch counts as lost, for executors that start slowly. */
  startWithinMs?: { [E in Executor]?: number }
  /**
   * Present if a dead executor can be told apart from a slow one, so that its run needn't wait for the lease to expire.
   */
  isGone?(executor: string): boolean
}

/** Returns the error for agent requests on a server where agents are disabled. */
export function agentsUnavailable(): AppError {
  const hint = "docs/deploy.md describes how to enable them on a stage."
  return new AppError("agents_unavailable", "Agents are disabled on this server.", { hint })
}
