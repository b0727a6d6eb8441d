import { createHash } from "node:crypto"
import { runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { createRunnerTickets, firstTicket } from "@switchyard/core/agents/runner/tickets"
import type { SessionSettings } from "@switchyard/core/agents/runner/warm-schema"
import { SETTINGS_NAME, warmKey } from "@switchyard/core/agents/runner/warm-ticket"
import type { Records } from "@switchyard/core/storage/records"
import { createSealer } from "@switchyard/core/storage/sealing"
import type { Clock } from "@switchyard/core/time"
import type { Tasks } from "./ecs.ts"
import type { EcsTarget } from "./ecs-target.ts"
import type { AttemptResult, LaunchFailure } from "./launch-attempts.ts"
import { createWarmPool, type WarmLaunch } from "./warm-pool.ts"

export interface RunnerTasksDeps {
  clock: Clock
  /** Has the tickets, which runners can't write. */
  records: Records
  place: EcsTarget
  /** Loaded with the first launch: most invocations of the worker need no tasks. */
  openTasks: () => Promise<Tasks>
  masterKey: Uint8Array
  verboseErrors: boolean
  allowedHosts: string[]
  report: (error: unknown) => void
}

export interface TaskObserver {
  /** Resolves to true once the task doesn't need to be watched any more. */
  isSettled(): Promise<boolean>
  /** Called each time that the task has reached another phase. */
  onPhase(phase: "provisioning" | "pending" | "running"): Promise<void>
}

/** The ECS tasks of runners. */
export interface RunnerTasks {
  /**
   * Starts a task, or gives the session one that waits. The same attempt gives the same task, however often it is sent. `agent` is
   * the only one that it has to bring, or "plain" for none, if that is known of the session; the first to start the attempt decides.
   * `standby` is the task that served the session last, if that may be resumed: a first attempt resumes it.
   */
  start(
    launch: { sid: string; generation: number; attempt: number; agent: string | undefined; standby?: string },
    options: { signal: AbortSignal },
  ): Promise<AttemptResult>
  /** Watches a task until its observer is settled, or the task is lost. One that does nothing for too long is stopped. */
  watch(task: string, observer: TaskObserver, options: { signal: AbortSignal }): Promise<LaunchFailure | undefined>
  isStopped(task: string, options: { signal: AbortSignal }): Promise<boolean>
  stop(task: string, reason: string, options: { signal: AbortSignal }): Promise<void>
  /** Those of the tasks that have stopped. One that ECS doesn't know has. */
  stoppedOf(tasks: string[], options: { signal: AbortSignal }): Promise<string[]>
  /** Whether a task whose runner has parked can be suspended. */
  canSuspend(): Promise<boolean>
}

const POLL_MS = 1000
/** The number of polls of the log for each one of ECS. */
const POLLS_PER_DESCRIBE = 3
/** A small image is there in a minute. */
const CLAIM_WITHIN_MS = 150_000
const KNOWN_WITHIN_MS = 15_000
/** The number of runners that are looked for among those that wait, should some have stopped. */
const WARM_TRIES = 3

export function createRunnerTasks(deps: RunnerTasksDeps): RunnerTasks {
  const { clock } = deps
  const pool = createWarmPool(deps)
  let opening: Promise<Tasks> | undefined
  const tasks = () => {
    opening ??= deps.openTasks()
    return opening
  }

  /** Takes a runner that waits and hasn't stopped meanwhile. */
  async function takeWarm(launch: WarmLaunch, options: { signal: AbortSignal }): Promise<string | undefined> {
    for (let tries = 0; tries < WARM_TRIES; tries++) {
      const taken = await pool.take(launch, deps.place.task_definition, options)
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
    agent: string | null,
    environment: SessionSettings,
    options: { signal: AbortSignal },
  ): Promise<AttemptResult> {
    const { task_definition, agent_definitions } = deps.place
    const definition = agent_definitions[agent ?? ""] ?? task_definition
    const token = tokenOf(definition, sid, generation, attempt)
    try {
      const ordered = await (await tasks()).run({ token, session: sid, definition, environment }, options)
      return "problem" in ordered ? { failure: { reason: ordered.problem.reason, phase: "waiting" } } : ordered
    } catch (error) {
      options.signal.throwIfAborted()
      deps.report(error)
      return { failure: { reason: "AWS refuses to start it. The worker's log says why." } }
    }
  }

  /** Resumes a task. One that can't be, or not in time, is of no use any more. */
  async function resume(task: string, options: { signal: AbortSignal }): Promise<boolean> {
    const driver = await tasks()
    const resumed = await driver.resume?.(task, options).catch((error) => {
      options.signal.throwIfAborted()
      deps.report(error)
    })
    if (!resumed) await driver.stop(task, "It can't be resumed.", options)
    return resumed ?? false
  }

  return {
    async start({ agent, standby, ...launch }, options) {
      if (standby !== undefined && launch.attempt === 1 && (await resume(standby, options))) return { task: standby }
      const ticket = firstTicket(deps.masterKey, launch)
      const tickets = createRunnerTickets({ records: deps.records, now: clock.now })
      const taken = await takeWarm(launch, options)
      const decided = await tickets.issue(ticket, { agent, warm: taken, ...options })
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
      return warm === undefined ? startAnother(launch, decided.agent, settings, options) : { task: warm }
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
          // ECS may need a moment to know what it has just begun.
          if (status.unknown && clock.monotonic() - since < KNOWN_WITHIN_MS) continue
          return { reason: status.stopped, phase: "lost" }
        }
        if (!status || status.phase === phase) continue
        phase = status.phase
        await observer.onPhase(status.phase)
      }
      const reason = `It did nothing for ${CLAIM_WITHIN_MS / 1000} seconds.`
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

    async stoppedOf(named, options) {
      return (await tasks()).stoppedOf(named, options)
    },

    canSuspend: async () => (await tasks()).suspend !== undefined,
  }
}

/** The same for a launch that is repeated; another for each session, generation and attempt, and for each deployment. */
function tokenOf(definition: string, sid: string, generation: number, attempt: number): string {
  return createHash("sha256")
    .update(JSON.stringify([definition, sid, generation, attempt]))
    .digest("hex")
}
