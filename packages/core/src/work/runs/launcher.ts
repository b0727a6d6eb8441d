import { AppError } from "../../errors.ts"
import type { ArchiveLauncher } from "../../files/archives/archive-job.ts"
import type { Executor, RunKind } from "./kinds.ts"

/** The time after which a launch that nothing came of is looked at again. */
export const START_WITHIN_MS = 30_000

/** A run, and the generation that its executor may follow. */
export interface ClaimableRun {
  sid: string
  runId: string
  expectedGeneration: number
}

/** A run with its kind, which says what has to execute it. */
export interface Launch extends ClaimableRun {
  kind: RunKind
}

/** Something that a webhook is to be told, by where it is stored. */
export interface DeliveryLaunch {
  sid: string
  owner: string
  delivery: string
}

/**
 * Launches runs where they are executed. A launch may be late, repeated or lost: the claim decides, and the sweep looks after what
 * nobody claimed.
 */
export interface Launcher extends ArchiveLauncher {
  /** Resolves when the launch is under way. One that fails is reported by the driver and counts as lost. */
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Present where a runner can serve a session without a run, for what people ask of its worktree. */
  serve?(sid: string, options: { signal: AbortSignal }): Promise<void>
  /** Present where webhooks can be told. Resolves when an attempt is under way; the sweep looks after one that was lost. */
  startDelivery?(delivery: DeliveryLaunch, options: { signal: AbortSignal }): Promise<void>
  /** Present where runners are limited: the number of sessions that wait for one before this one, undefined if it doesn't wait. */
  waitingBefore?(sid: string, options: { signal: AbortSignal }): Promise<number | undefined>
  /** Present where launches wait for a runner in this process: true if one of the session's does, and needs no other. */
  isHeld?(sid: string): boolean
  /** The time after which a launch counts as lost, for executors that take longer than usual to start. */
  startWithinMs?: { [E in Executor]?: number }
  /** Present where a dead executor can be told from a slow one, so that its run needn't wait for the end of the lease. */
  isGone?(executor: string): boolean
}

/** The refusal of an agent where none can be put to work. */
export function agentsUnavailable(): AppError {
  const hint = "docs/deploy.md describes how to enable them on a stage."
  return new AppError("agents_unavailable", "Agents are disabled on this server.", { hint })
}
