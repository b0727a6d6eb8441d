import { createLaunchMailbox, type LaunchMailbox, runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { reportQueued } from "@switchyard/core/agents/runner/waiting-runs"
import { abandonHopelessSaving } from "@switchyard/core/files/worktrees/saving"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import type { RunAccounts } from "@switchyard/core/people/accounts/run-credentials"
import type { SessionState } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { runOf } from "@switchyard/core/work/runs/state"
import { executorOf, taskOf } from "./executor-name.ts"
import {
  type AttemptResult,
  afterAttempt,
  type LaunchAttempt,
  type LaunchState,
  nextAttempt,
} from "./launch-attempts.ts"
import { type LaunchGoal, needsRunner, runClaimed, sessionServed } from "./launch-goal.ts"
import { createRunnerTasks, type RunnerTasksDeps } from "./runner-tasks.ts"
import { createStagePlaces, type PlaceLimits } from "./stage-places.ts"

export interface RunnerLauncherDeps extends SessionLogDeps, RunnerTasksDeps {
  blobs: Blobs
  limits: PlaceLimits
  ownerOf: (sid: string, options: { signal: AbortSignal }) => Promise<string>
  /** The account on which a run works; undefined if there is no such run any more. */
  accountsOf: (launch: Launch, options: { signal: AbortSignal }) => Promise<RunAccounts | undefined>
  /** The image that a session's runner needs: by the one agent that it has to bring, or "plain" for none; undefined for all of them. */
  agentsOf: (sid: string, options: { signal: AbortSignal }) => Promise<string | undefined>
  report: (error: unknown) => void
}

/** Starts runners as tasks of ECS, one a session. */
export interface RunnerLauncher {
  /**
   * Has a runner execute the run, and resolves once one has claimed it: reports each phase in the session's log, retries
   * what AWS doesn't give at once, and fails the run if it gives nothing at all. Where all places are taken, the log says so,
   * and what doesn't get one in a while is left to the sweep, which asks again. Any number of callers may launch the same run
   * at once.
   */
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Has a runner serve the session, for the commands to its worktree and the files it has to save, in the same way. */
  serve(sid: string, options: { signal: AbortSignal }): Promise<void>
}

/** A phase of a launch, as the log reports it. */
interface PhaseReport {
  phase: "requested" | "provisioning" | "pending" | "running" | "waiting" | "lost"
  attempt: number
  reason?: string
}

/** Says to the session's runner what it shall do, as far as that isn't in the session's log. */
type LeaveNote = (options: { signal: AbortSignal }) => Promise<void>

/** The time for which a worker waits for a place, and how often it asks. After that, the sweep launches anew. */
const PLACE_WITHIN_MS = 150_000
const ASK_EVERY_MS = 5000

export function createRunnerLauncher(deps: RunnerLauncherDeps): RunnerLauncher {
  const { clock } = deps
  const tasks = createRunnerTasks(deps)
  const places = createStagePlaces({ ...deps, stopped: tasks.stoppedOf })

  async function ensureRunner(
    sid: string,
    { goal, leaveNote }: { goal: LaunchGoal; leaveNote: LeaveNote },
    options: { signal: AbortSignal },
  ): Promise<void> {
    const session = await openSessionLog(deps, sid, options)
    const agent = await deps.agentsOf(sid, options)
    const startedAt = clock.monotonic()
    let launch: LaunchState = { failures: 0, dead: await deadExecutor(session.state, options) }
    await session.decide(abandonHopelessSaving(launch.dead), options)
    while (goal.isOpen(await session.catchUp(options), launch.dead)) {
      const attempt = nextAttempt(launch, session.state.runner)
      if (attempt.type === "new") {
        const waited = await awaitPlace(session, goal, launch.dead, options)
        if (waited === "in vain") return
        if (waited === "for nothing") continue
      }
      // Each time: a runner may have taken the note and been lost before it claimed the run.
      await leaveNote(options)
      const result = await runAttempt(session, { goal, agent }, launch, attempt, options)
      const { state, step } = afterAttempt(launch, attempt, result, clock.monotonic() - startedAt)
      launch = state
      if (step.type === "give_up") {
        await goal.giveUp(session, { reason: step.reason, dead: launch.dead }, options)
        // Another of the session's runs may wait with its place.
        if (!needsRunner(await session.catchUp(options))) await places.release(sid, launch.ownTask, options)
        return
      }
      if (step.type === "continue") continue
      const { phase, attempt: number, reason, delayMs } = step
      await reportPhase(session, goal, { phase, attempt: number, reason }, options)
      await clock.sleep(delayMs, options)
    }
    await stopUnneeded(session, launch, options)
  }

  /**
   * Waits until the session has a place; `in vain` after a while, and `for nothing` where it needs none any more. The log has its
   * position in the queue each time that it changes.
   */
  async function awaitPlace(
    session: SessionLog,
    goal: LaunchGoal,
    dead: string | null,
    options: { signal: AbortSignal },
  ): Promise<"with success" | "in vain" | "for nothing"> {
    const { sid } = session
    const owner = await deps.ownerOf(sid, options)
    const until = clock.monotonic() + PLACE_WITHIN_MS
    let reported: number | undefined
    while (goal.isOpen(await session.catchUp(options), dead)) {
      const before = await places.take(sid, owner, options)
      if (before === undefined) return "with success"
      if (before !== reported) await session.decide(reportQueued(before), options)
      reported = before
      await places.askToYield(sid, (holder) => tellToYield(holder, options), options)
      if (clock.monotonic() >= until) return "in vain"
      await clock.sleep(ASK_EVERY_MS, options)
    }
    if (!needsRunner(session.state)) await places.leaveQueue(sid, options)
    return "for nothing"
  }

  async function tellToYield({ sid, task }: { sid: string; task: string }, options: { signal: AbortSignal }) {
    await mailboxOf(sid).put({ type: "yield", executor: executorOf(task) }, options)
  }

  function mailboxOf(sid: string): LaunchMailbox {
    return createLaunchMailbox({ records: deps.records, now: clock.now }, { sid, key: runnerKey(deps.masterKey, sid) })
  }

  async function deadExecutor({ runner }: SessionState, options: { signal: AbortSignal }): Promise<string | null> {
    if (runner.executor === null) return null
    return (await tasks.isStopped(taskOf(runner.executor), options)) ? runner.executor : null
  }

  async function runAttempt(
    session: SessionLog,
    { goal, agent }: { goal: LaunchGoal; agent: string | undefined },
    launch: LaunchState,
    attempt: LaunchAttempt,
    options: { signal: AbortSignal },
  ): Promise<AttemptResult> {
    const standby = session.state.runner.standby === null ? undefined : taskOf(session.state.runner.standby)
    const started =
      attempt.type === "existing"
        ? { task: taskOf(attempt.executor) }
        : await tasks.start(
            { sid: session.sid, generation: attempt.generation, attempt: attempt.number, agent, standby },
            options,
          )
    if (started.task === undefined) return started
    if (attempt.type === "new") {
      await reportPhase(session, goal, { phase: "requested", attempt: attempt.number }, options)
    }
    const { task } = started
    if (attempt.type === "new") await places.note(session.sid, task, { parks: await tasks.canSuspend(), ...options })
    const { executor } = session.state.runner
    const observer = {
      async isSettled() {
        const state = await session.catchUp(options)
        return !goal.isOpen(state, launch.dead) || state.runner.executor !== executor
      },
      // A runner that has claimed the session isn't awaited any more.
      async onPhase(phase: PhaseReport["phase"]) {
        if (taskOf(executor ?? "") !== task) {
          await reportPhase(session, goal, { phase, attempt: attempt.number }, options)
        }
      },
    }
    return { task, failure: await tasks.watch(task, observer, options) }
  }

  /** Stops the task of a run that was cancelled meanwhile, or of a session that was deleted. */
  async function stopUnneeded(
    { state }: SessionLog,
    { ownTask }: LaunchState,
    options: { signal: AbortSignal },
  ): Promise<void> {
    if (ownTask === undefined || taskOf(state.runner.executor ?? "") === ownTask || needsRunner(state)) return
    await tasks.stop(ownTask, "Nobody needs this runner any more.", options)
  }

  return {
    async start(launch, options) {
      const accounts = await deps.accountsOf(launch, options)
      if (!accounts) return
      const { sid, runId: run_id, expectedGeneration: expected_generation } = launch
      const notes = mailboxOf(sid)
      const leaveNote: LeaveNote = (options) =>
        notes.put({ type: "run", run_id, expected_generation, ...accounts }, options)
      await ensureRunner(sid, { goal: runClaimed(deps, launch), leaveNote }, options)
    },
    serve: (sid, options) => ensureRunner(sid, { goal: sessionServed, leaveNote: async () => {} }, options),
  }
}

/** Appends a phase of the launch, unless the goal is met. */
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
