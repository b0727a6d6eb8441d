import { AppError } from "../../errors.ts"
import type { ArchiveLauncher } from "../../files/archives/archive-job.ts"
import type { Executor, RunKind } from "./kinds.ts"

/** Time after which a launch without effect is checked again. */
export const START_WITHIN_MS = 30_000

/** A run, and the generation that its executor succeeds. */
export interface ClaimableRun {
  sid: string
  runId: string
  expectedGeneration: number
}

/** A run with its kind, which decides the executor. */
export interface Launch extends ClaimableRun {
  kind: RunKind
}

/** A stored delivery to a webhook. */
export interface DeliveryLaunch {
  sid: string
  owner: string
  delivery: string
}

/**
 * Launches runs where they are executed. A launch may be late, repeated or lost: the claim decides, and the sweep takes
 * care of unclaimed runs.
 */
export interface Launcher extends ArchiveLauncher {
  /** Returns when the launch is under way. The driver reports a failed launch, which counts as lost. */
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Present if a runner can serve a session without a run, for requests to its worktree. */
  serve?(sid: string, options: { signal: AbortSignal }): Promise<void>
  /** Present if there are webhooks. Returns when an attempt is under way; the sweep repeats a lost one. */
  startDelivery?(delivery: DeliveryLaunch, options: { signal: AbortSignal }): Promise<void>
  /** Present if runners are limited. Returns how many sessions wait before this one, undefined if it doesn't wait. */
  waitingBefore?(sid: string, options: { signal: AbortSignal }): Promise<number | undefined>
  /**
   * Present if launches wait for a runner in this process. True if a launch of this session does, so it needs no other.
   */
  isHeld?(sid: string): boolean
  /** Time after which a launch counts as lost, for executors that start slowly. */
  startWithinMs?: { [E in Executor]?: number }
  /**
   * Present if a dead executor can be distinguished from a slow one, so that its run needn't wait for the lease to end.
   */
  isGone?(executor: string): boolean
}

/** Refuses an agent on a server without agents. */
export function agentsUnavailable(): AppError {
  const hint = "docs/deploy.md describes how to enable them on a stage."
  return new AppError("agents_unavailable", "Agents are disabled on this server.", { hint })
}
