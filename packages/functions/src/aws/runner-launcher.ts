import { createLaunchMailbox, type LaunchMailbox, runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { reportQueued, waitingRuns } from "@switchyard/core/agents/runner/waiting-runs"
import { abandonHopelessSaving } from "@switchyard/core/files/worktrees/saving"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import type { LogLine } from "@switchyard/core/log-lines"
import type { RunAccounts } from "@switchyard/core/people/accounts/run-credentials"
import type { SessionState } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { runOf } from "@switchyard/core/work/runs/state"
import { ecsTaskIdOf, executorNameOf } from "./executor-name.ts"
import { followGrants, grantsOf } from "./follow-grants.ts"
import {
  type AttemptResult,
  afterAttempt,
  type LaunchAttempt,
  type LaunchState,
  nextAttempt,
} from "./launch-attempts.ts"
import { type LaunchGoal, needsRunner, runClaimed, sessionServed } from "./launch-goal.ts"
import type { PlaceLimits, SessionTask } from "./place-rules.ts"
import { createRunnerTasks, type RunnerTasksDeps } from "./runner-tasks.ts"
import { createStagePlaces } from "./stage-places.ts"

export interface RunnerLauncherDeps extends SessionLogDeps, RunnerTasksDeps {
  blobs: Blobs
  limits: PlaceLimits
  ownerOf: (sid: string, options: { signal: AbortSignal }) => Promise<string>
  /** Returns the accounts that a run uses, or undefined if the run no longer exists. */
  accountsOf: (launch: Launch, options: { signal: AbortSignal }) => Promise<RunAccounts | undefined>
  /**
   * Returns the image that a session's runner needs: the name of its only agent, "plain" for no agents, "browser" for
   * all agents and a browser, or undefined for all agents.
   */
  agentsOf: (sid: string, options: { signal: AbortSignal }) => Promise<string | undefined>
  /** Returns the name of the size of a repository's containers. Undefined for the default size. */
  containerSizeFor: (
    owner: string,
    repository: string | null,
    options: { signal: AbortSignal },
  ) => Promise<string | undefined>
  report: (error: unknown) => void
  logLine: LogLine
}

/** Starts runners as ECS tasks, one per session. */
export interface RunnerLauncher {
  /**
   * Launches a runner for the run, and returns once a runner has claimed the run. Reports each phase in the session
   * log, retries temporary AWS failures, and fails the run if no attempt succeeds. If all slots are taken, queues the
   * session, reports that and returns. `askedAt` is the time of the request, which decides the order of the queue.
   * Concurrent launches of the same run are safe.
   */
  start(launch: Launch, options: LaunchOptions): Promise<void>
  /** Launches a runner for the session in the same way. Used for worktree commands and for saving files. */
  serve(sid: string, options: LaunchOptions): Promise<void>
  /** Continues the launches of a session that got a slot. Gives up the slot if the session no longer needs it. */
  resume(sid: string, options: { signal: AbortSignal }): Promise<void>
  /** Continues the launches of these sessions, which got a slot. */
  follow(granted: AsyncIterable<string> | Iterable<string>, options: { signal: AbortSignal }): Promise<void>
}

export interface LaunchOptions {
  /** Unix milliseconds. */
  askedAt?: number | undefined
  signal: AbortSignal
}

/** Phase of a launch, as reported in the log. */
interface PhaseReport {
  phase: "requested" | "provisioning" | "pending" | "running" | "waiting" | "lost"
  attempt: number
  reason?: string
  size?: string | undefined
}

/** Purpose of a launch, and its message to the runner. */
interface LaunchOrder {
  goal: LaunchGoal
  /** Leaves a message for the session's runner outside the log. */
  leaveNote: (options: { signal: AbortSignal }) => Promise<void>
}

/** Receives each other session that got a slot. */
type OnGranted = (sid: string) => void

export function createRunnerLauncher(deps: RunnerLauncherDeps): RunnerLauncher {
  const { clock } = deps
  const tasks = createRunnerTasks(deps)
  const places = createStagePlaces(deps)

  /** Launches the session's runner and, at the same time, the sessions that get a slot meanwhile. */
  async function ensureRunner(sid: string, order: LaunchOrder, options: LaunchOptions): Promise<void> {
    const { signal } = options
    const others: Promise<void>[] = []
    try {
      await launchRunner(sid, order, (granted) => others.push(follow([granted], { signal })), options)
    } finally {
      await Promise.all(others)
    }
  }

  async function launchRunner(
    sid: string,
    { goal, leaveNote }: LaunchOrder,
    onGranted: OnGranted,
    { askedAt = clock.now(), ...options }: LaunchOptions,
  ): Promise<void> {
    const session = await openSessionLog(deps, sid, options)
    const agent = await deps.agentsOf(sid, options)
    const owner = await deps.ownerOf(sid, options)
    const size = await deps.containerSizeFor(owner, session.state.session.repository, options)
    const startedAt = clock.monotonic()
    const logEnd = (result: "started" | "queued" | "given_up", reason?: string) =>
      deps.logLine("launch", {
        ...{ sid, run_id: goal.runId, result, reason },
        duration_ms: Math.round(clock.monotonic() - startedAt),
      })
    let launch: LaunchState = { failures: 0, dead: await deadExecutor(session.state, options) }
    await session.decide(abandonHopelessSaving(launch.dead), options)
    while (goal.isOpen(await session.catchUp(options), launch.dead)) {
      const attempt = nextAttempt(launch, session.state.runner)
      if (attempt.type === "new" && !(await takePlace(session, { owner, at: askedAt }, onGranted, options)))
        return logEnd("queued")
      // Leave the message for each attempt, because a runner might have taken it and been lost before it claimed the
      // run.
      await leaveNote(options)
      const result = await runAttempt(session, { goal, agent, size }, launch, attempt, options)
      const { state, step } = afterAttempt(launch, attempt, result, clock.monotonic() - startedAt)
      launch = state
      if (step.type === "give_up") {
        await goal.giveUp(session, { reason: step.reason, dead: launch.dead }, options)
        logEnd("given_up", step.reason)
        // Another run in this session may still need the slot.
        return leaveUnneeded(sid, launch.ownTask, options)
      }
      if (step.type === "continue") continue
      const { phase, attempt: number, reason, delayMs } = step
      await reportPhase(session, goal, { phase, attempt: number, reason }, options)
      await clock.sleep(delayMs, options)
    }
    if (launch.ownTask !== undefined && ecsTaskIdOf(session.state.runner.executor ?? "") === launch.ownTask)
      return logEnd("started")
    await stopUnneeded(session, launch, options)
  }

  /** Takes a slot for the session. If all slots are taken, reports the position in the queue and returns false. */
  async function takePlace(
    session: SessionLog,
    ask: { owner: string; at: number },
    onGranted: OnGranted,
    options: { signal: AbortSignal },
  ): Promise<boolean> {
    const { sid } = session
    const queued = await places.take({ sid, ...ask }, { onGranted, ...options })
    if (queued) {
      await session.decide(reportQueued(queued.before), options)
      await places.askToYield(queued.inTheWay, (holder) => tellToYield(holder, options), options)
    }
    return queued === undefined
  }

  /**
   * Gives up the session's slot, and its turn in the queue, unless another run in this session needs them. `unused`: only
   * gives up a slot that no launch has used, even if the session still needs a runner.
   */
  async function leaveUnneeded(
    sid: string,
    task: string | undefined,
    { unused = false, ...options }: { unused?: boolean; signal: AbortSignal },
  ): Promise<void> {
    const isNeeded = needsRunner((await openSessionLog(deps, sid, options)).state)
    if (!isNeeded) await places.leaveQueue(sid, options)
    if (!unused && isNeeded) return
    await follow(
      grantsOf((onGranted) => places.release(sid, task, { unused, onGranted, ...options })),
      options,
    )
  }

  /**
   * Launches the sessions that got a slot, in this invocation. A worker that invoked workers could start an endless
   * chain of them.
   */
  async function follow(
    granted: AsyncIterable<string> | Iterable<string>,
    options: { signal: AbortSignal },
  ): Promise<void> {
    await followGrants({ ...deps, places, launch: resume }, granted, options)
  }

  async function resume(sid: string, options: { signal: AbortSignal }): Promise<void> {
    const { state } = await openSessionLog(deps, sid, options)
    const runs = waitingRuns(state)
    await Promise.all(
      runs.map(({ runId, generation, kind }) => start({ sid, runId, expectedGeneration: generation, kind }, options)),
    )
    if (runs.length === 0 && needsRunner(state)) await serve(sid, options)
    await leaveUnneeded(sid, undefined, { unused: true, ...options })
  }

  async function start(launch: Launch, options: LaunchOptions): Promise<void> {
    const accounts = await deps.accountsOf(launch, options)
    if (!accounts) return
    const { sid, runId: run_id, expectedGeneration: expected_generation } = launch
    const notes = mailboxOf(sid)
    const order: LaunchOrder = {
      goal: runClaimed(deps, launch),
      leaveNote: (options) => notes.put({ type: "run", run_id, expected_generation, ...accounts }, options),
    }
    await ensureRunner(sid, order, options)
  }

  function serve(sid: string, options: LaunchOptions): Promise<void> {
    return ensureRunner(sid, { goal: sessionServed, leaveNote: async () => {} }, options)
  }

  async function tellToYield({ sid, task }: SessionTask, options: { signal: AbortSignal }) {
    await mailboxOf(sid).put({ type: "yield", executor: executorNameOf(task) }, options)
  }

  function mailboxOf(sid: string): LaunchMailbox {
    return createLaunchMailbox({ records: deps.records, now: clock.now }, { sid, key: runnerKey(deps.masterKey, sid) })
  }

  async function deadExecutor({ runner }: SessionState, options: { signal: AbortSignal }): Promise<string | null> {
    if (runner.executor === null) return null
    return (await tasks.isStopped(ecsTaskIdOf(runner.executor), options)) ? runner.executor : null
  }

  async function runAttempt(
    session: SessionLog,
    { goal, agent, size }: { goal: LaunchGoal; agent: string | undefined; size: string | undefined },
    launch: LaunchState,
    attempt: LaunchAttempt,
    options: { signal: AbortSignal },
  ): Promise<AttemptResult> {
    const standby = session.state.runner.standby === null ? undefined : ecsTaskIdOf(session.state.runner.standby)
    const started =
      attempt.type === "existing"
        ? { task: ecsTaskIdOf(attempt.executor) }
        : await tasks.start(
            { sid: session.sid, generation: attempt.generation, attempt: attempt.number, agent, size, standby },
            options,
          )
    if (started.task === undefined) return started
    if (attempt.type === "new") {
      await reportPhase(session, goal, { phase: "requested", attempt: attempt.number, size }, options)
    }
    const { task } = started
    if (attempt.type === "new") await notePlace({ sid: session.sid, task }, options)
    const { executor } = session.state.runner
    const observer = {
      async isSettled() {
        const state = await session.catchUp(options)
        return !goal.isOpen(state, launch.dead) || state.runner.executor !== executor
      },
      // Stop reporting phases once the runner has claimed the session.
      async onPhase(phase: PhaseReport["phase"]) {
        if (ecsTaskIdOf(executor ?? "") !== task) {
          await reportPhase(session, goal, { phase, attempt: attempt.number }, options)
        }
      },
    }
    return { task, failure: await tasks.watch(task, observer, options) }
  }

  /** Records the task in its slot. If another session is waiting for this slot, asks the task to exit once it is idle. */
  async function notePlace(holder: SessionTask, options: { signal: AbortSignal }): Promise<void> {
    const parks = await tasks.canSuspend()
    const isAwaited = await places.note(holder.sid, holder.task, { parks, ...options })
    if (isAwaited) await places.askToYield([holder], (one) => tellToYield(one, options), options)
  }

  /** Stops this launch's task if its run was cancelled or its session was deleted. */
  async function stopUnneeded(
    { state }: SessionLog,
    { ownTask }: LaunchState,
    options: { signal: AbortSignal },
  ): Promise<void> {
    if (ownTask === undefined || needsRunner(state)) return
    await tasks.stop(ownTask, "This runner is no longer needed.", options)
  }

  return { start, serve, resume, follow }
}

/** Appends a launch phase, unless the goal has already been met. */
async function reportPhase(
  session: SessionLog,
  goal: LaunchGoal,
  report: PhaseReport,
  options: { signal: AbortSignal },
): Promise<void> {
  await session.decide((state) => {
    if (!goal.isOpen(state, state.runner.executor)) return []
    const run = runOf(state, goal.runId ?? "")
    const about = run ? { run_id: run.runId, agent_id: run.agentId } : {}
    return [{ type: "runner_awaited", ...about, generation: state.runner.generation + 1, ...report }]
  }, options)
}
