import { AppError } from "../../errors.ts"
import type { ArchiveLauncher } from "../../files/archives/archive-job.ts"
import type { Executor, RunKind } from "./kinds.ts"

/** Time to wait for a launch to lead to a claim before checking the run. */
export const START_WITHIN_MS = 30_000

/** A run that may be claimed only if its generation is still `expectedGeneration`. */
export interface ClaimableRun {
  sid: string
  runId: string
  expectedGeneration: number
}

/** A run to launch, with its kind, which determines the executor. */
export interface Launch extends ClaimableRun {
  kind: RunKind
}

/** A stored webhook delivery to send. */
export interface DeliveryLaunch {
  sid: string
  owner: string
  delivery: string
}

/**
 * Launches executors for runs. A launch may be late, repeated or lost, because only a claim counts. The sweep
 * relaunches runs that remain unclaimed.
 */
export interface Launcher extends ArchiveLauncher {
  /**
   * Starts an executor, and returns once the launch is under way. If the launch fails later, the driver reports it, and
   * the launch counts as lost.
   */
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Starts a runner that answers worktree requests of a session without runs. Absent if runners can't do that. */
  serve?(sid: string, options: { signal: AbortSignal }): Promise<void>
  /**
   * Starts an attempt to send the delivery, and returns once the attempt is under way. The sweep repeats attempts that
   * are lost. Absent if there are no webhooks.
   */
  startDelivery?(delivery: DeliveryLaunch, options: { signal: AbortSignal }): Promise<void>
  /**
   * Returns the number of sessions ahead of this one in the queue. Undefined if this session isn't queued. Absent if
   * the number of runners is unlimited.
   */
  waitingBefore?(sid: string, options: { signal: AbortSignal }): Promise<number | undefined>
  /**
   * Returns true if a runner's launch for this session is queued, so that it needn't be repeated. Absent if launches
   * aren't queued.
   */
  isHeld?(sid: string, options: { signal: AbortSignal }): boolean | Promise<boolean>
  /** Time after which a launch counts as lost, for executors that start slowly. */
  startWithinMs?: { [E in Executor]?: number }
  /**
   * Returns true if the executor is dead, so its run needn't wait for the lease to expire. Absent if the launcher can't
   * distinguish a dead executor from a slow one.
   */
  isGone?(executor: string): boolean
  /**
   * Returns true if the executor is a process of this launcher that was stopped by a signal and may continue later. Its
   * run then waits, even after the lease has expired. Absent if the launcher can't know this.
   */
  isPaused?(executor: string): boolean
}

/** Returns the error for agent requests if agents are disabled on the server. */
export function agentsUnavailable(): AppError {
  const hint = "docs/deploy.md describes how to enable them on a stage."
  return new AppError("agents_unavailable", "Agents are disabled on this server.", { hint })
}
