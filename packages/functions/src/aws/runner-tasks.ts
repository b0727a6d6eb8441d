import { createHash } from "node:crypto"
import { runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { createRunnerTickets, firstTicket, type LaunchChoice } from "@switchyard/core/agents/runner/tickets"
import type { SessionSettings } from "@switchyard/core/agents/runner/warm-schema"
import { SETTINGS_NAME, warmKey } from "@switchyard/core/agents/runner/warm-ticket"
import type { Records } from "@switchyard/core/storage/records"
import { createSealer } from "@switchyard/core/storage/sealing"
import { systemFaultIn } from "@switchyard/core/system-faults"
import type { Clock } from "@switchyard/core/time"
import type { Tasks } from "./ecs.ts"
import { type EcsTarget, warmDefinition } from "./ecs-target.ts"
import type { AttemptResult, LaunchFailure } from "./launch-attempts.ts"
import type { WarmLaunch } from "./warm-handovers.ts"
import { createWarmPool } from "./warm-pool.ts"

export interface RunnerTasksDeps {
  clock: Clock
  /** Records that hold the tickets. Runners can't write to them. */
  records: Records
  place: EcsTarget
  /** Loads the driver on the first launch, because most worker invocations don't need it. */
  openTasks: () => Promise<Tasks>
  masterKey: Uint8Array
  verboseErrors: boolean
  allowedHosts: string[]
  report: (error: unknown) => void
}

export interface TaskObserver {
  /** Returns true once the task needn't be watched any more. */
  isSettled(): Promise<boolean>
  /** Called for each new phase of the task. */
  onPhase(phase: "provisioning" | "pending" | "running"): Promise<void>
}

/** Runners' ECS tasks. */
export interface RunnerTasks {
  /**
   * Starts a task, or assigns the session a waiting one. Repeating an attempt returns the same task. `agent` is the
   * only agent that the task needs, "plain" for none, "browser" for all with a browser, or undefined if unknown. `size`
   * names the size of the container, if it isn't the default. Later calls of an attempt can't change either of them.
   * `standby` is the session's previous task, if it can be resumed. The first attempt resumes it.
   */
  start(
    launch: WarmLaunch & { agent: string | undefined; size?: string | undefined; standby?: string | undefined },
    options: { signal: AbortSignal },
  ): Promise<AttemptResult>
  /** Watches a task until its observer is settled or the task is lost. Stops a task that does nothing for too long. */
  watch(task: string, observer: TaskObserver, options: { signal: AbortSignal }): Promise<LaunchFailure | undefined>
  isStopped(task: string, options: { signal: AbortSignal }): Promise<boolean>
  stop(task: string, reason: string, options: { signal: AbortSignal }): Promise<void>
  /** Returns true if a task can be suspended once its runner has parked. */
  canSuspend(): Promise<boolean>
}

const POLL_MS = 1000
/** Number of times that the log is polled for each poll of ECS. */
const POLLS_PER_DESCRIBE = 3
/** Maximum time until a runner claims its session. A small image starts within a minute. */
const CLAIM_WITHIN_MS = 150_000
const KNOWN_WITHIN_MS = 15_000
/** Maximum number of waiting runners to try. Some of them may have stopped. */
const WARM_TRIES = 3

export function createRunnerTasks(deps: RunnerTasksDeps): RunnerTasks {
  const { clock } = deps
  const pool = createWarmPool(deps)
  let opening: Promise<Tasks> | undefined
  const tasks = () => {
    opening ??= deps.openTasks()
    return opening
  }

  /** Takes a waiting runner whose task hasn't stopped. */
  async function takeWarm(launch: WarmLaunch, options: { signal: AbortSignal }): Promise<string | undefined> {
    for (let tries = 0; tries < WARM_TRIES; tries++) {
      const taken = await pool.take(launch, warmDefinition(deps.place), options)
      if (!taken) return undefined
      const status = await (await tasks()).describe(taken.task, options)
      if (!status || !("stopped" in status)) return taken.id
      await pool.forget(taken.id, options)
    }
    return undefined
  }

  async function handOver(
    id: string,
    launch: WarmLaunch,
    settings: SessionSettings,
    options: { signal: AbortSignal },
  ): Promise<string | undefined> {
    const sealed = createSealer(warmKey(deps.masterKey, id)).seal(id, SETTINGS_NAME, JSON.stringify(settings))
    return pool.handOver(id, launch, sealed, options)
  }

  async function startAnother(
    { sid, generation, attempt }: WarmLaunch,
    { agent, size }: LaunchChoice,
    environment: SessionSettings,
    options: { signal: AbortSignal },
  ): Promise<AttemptResult> {
    const { task_definition, agent_definitions } = deps.place
    const definition = agent_definitions[agent ?? ""] ?? task_definition
    const token = tokenOf(definition, sid, generation, attempt)
    try {
      const ordered = await (await tasks()).run(
        { token, session: sid, definition, size: size ?? undefined, environment },
        options,
      )
      return "problem" in ordered ? { failure: { reason: ordered.problem.reason, phase: "waiting" } } : ordered
    } catch (error) {
      options.signal.throwIfAborted()
      deps.report(error)
      const reason = systemFaultIn(error)?.message ?? "See the worker's log for the reason."
      return { failure: { reason: `AWS refused to start the task. ${reason}` } }
    }
  }

  /** Resumes a task. Stops the task if it can't be resumed in time. */
  async function resume(task: string, options: { signal: AbortSignal }): Promise<boolean> {
    const driver = await tasks()
    const resumed = await driver.resume?.(task, options).catch((error) => {
      options.signal.throwIfAborted()
      deps.report(error)
    })
    if (!resumed) await driver.stop(task, "The task can't be resumed.", options)
    return resumed ?? false
  }

  return {
    async start({ agent, size, standby, ...launch }, options) {
      if (standby !== undefined && launch.attempt === 1 && (await resume(standby, options))) return { task: standby }
      const ticket = firstTicket(deps.masterKey, launch)
      const tickets = createRunnerTickets({ records: deps.records, now: clock.now })
      // Waiting runners have the default size.
      const taken = size === undefined ? await takeWarm(launch, options) : undefined
      const decided = await tickets.issue(ticket, { agent, size, warm: taken, ...options })
      if (taken !== undefined && taken !== decided.warm) await pool.giveBack(taken, launch, options)
      const settings: SessionSettings = {
        RUNNER_SESSION: launch.sid,
        RUNNER_TICKET: JSON.stringify(ticket),
        RUNNER_KEY: Buffer.from(runnerKey(deps.masterKey, launch.sid)).toString("base64"),
        EXPOSE_VERBOSE_ERRORS: String(deps.verboseErrors),
        ALLOWED_HOSTS: deps.allowedHosts.join(","),
        ...((await tasks()).suspend && { RUNNER_STANDBY: "true" }),
      }
      const warm = decided.warm === null ? undefined : await handOver(decided.warm, launch, settings, options)
      return warm === undefined ? startAnother(launch, decided, settings, options) : { task: warm }
    },

    async watch(task, observer, options) {
      const since = clock.monotonic()
      let phase = "requested"
      for (let poll = 1; clock.monotonic() - since < CLAIM_WITHIN_MS; poll++) {
        await clock.sleep(POLL_MS, options)
        if (await observer.isSettled()) return undefined
        if (poll % POLLS_PER_DESCRIBE !== 0) continue
        const status = await (await tasks()).describe(task, options)
        if (status && "stopped" in status) {
          // For a moment, ECS may not know a new task. Until then, an unknown task isn't considered lost.
          if (status.unknown && clock.monotonic() - since < KNOWN_WITHIN_MS) continue
          return { reason: status.stopped, phase: "lost" }
        }
        if (!status || status.phase === phase) continue
        phase = status.phase
        await observer.onPhase(status.phase)
      }
      const reason = `The task did nothing for ${CLAIM_WITHIN_MS / 1000} seconds.`
      await (await tasks()).stop(task, reason, options)
      return { reason, phase: "lost" }
    },

    async isStopped(task, options) {
      const status = await (await tasks()).describe(task, options)
      return status !== undefined && "stopped" in status
    },

    async stop(task, reason, options) {
      await (await tasks()).stop(task, reason, options)
    },

    canSuspend: async () => (await tasks()).suspend !== undefined,
  }
}

/**
 * Returns a token that is the same for a repeated launch, and different for each session, generation, attempt and task
 * definition.
 */
function tokenOf(definition: string, sid: string, generation: number, attempt: number): string {
  return createHash("sha256")
    .update(JSON.stringify([definition, sid, generation, attempt]))
    .digest("hex")
}
