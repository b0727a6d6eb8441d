import { AppError } from "../../errors.ts"
import type { ArchiveLauncher } from "../../files/archives/archive-job.ts"
import type { Executor, RunKind } from "./kinds.ts"

/** Time after which to check a launch that hasn't led to a claim. */
export const START_WITHIN_MS = 30_000

/** A run that may be claimed if its generation is still `expectedGeneration`. */
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
 * Launches executors for runs. A launch may be late, repeated or lost. Only a claim counts, and the sweep relaunches
 * unclaimed runs.
 */
export interface Launcher extends ArchiveLauncher {
  /** Returns once the launch is under way. If it fails, the driver reports it, and the launch counts as lost. */
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Starts a runner for worktree requests of a session without runs. Absent if no runner can do that. */
  serve?(sid: string, options: { signal: AbortSignal }): Promise<void>
  /**
   * Starts an attempt to send the delivery, and returns once the attempt is under way. The sweep repeats lost attempts.
   * Absent if there are no webhooks.
   */
  startDelivery?(delivery: DeliveryLaunch, options: { signal: AbortSignal }): Promise<void>
  /**
   * Returns how many sessions are ahead of this one in the queue. Undefined if this session isn't queued. Absent if the
   * number of runners is unlimited.
   */
  waitingBefore?(sid: string, options: { signal: AbortSignal }): Promise<number | undefined>
  /**
   * Returns true if a launch of a runner for this session is queued, and needn't be repeated. Absent if launches aren't
   * queued.
   */
  isHeld?(sid: string, options: { signal: AbortSignal }): boolean | Promise<boolean>
  /** For executors that start slowly: time after which a launch counts as lost. */
  startWithinMs?: { [E in Executor]?: number }
  /**
   * Returns true if the executor is dead. Its run then needn't wait for the lease to expire. Absent if the launcher
   * can't tell a dead executor from a slow one.
   */
  isGone?(executor: string): boolean
  /**
   * Returns true if the executor is a process of this launcher that was stopped by a signal and may continue. Its run
   * keeps waiting even after the lease has expired. Absent if the launcher can't tell.
   */
  isPaused?(executor: string): boolean
}

/** Returns the error for agent requests if the server has agents disabled. */
export function agentsUnavailable(): AppError {
  const hint = "docs/deploy.md describes how to enable them on a stage."
  return new AppError("agents_unavailable", "Agents are disabled on this server.", { hint })
}
