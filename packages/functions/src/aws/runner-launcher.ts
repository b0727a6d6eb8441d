import { createHash } from "node:crypto"
import { createLaunchNotes, runnerKey } from "@switchyard/core/agents/runner/launch-mailbox"
import { createLooseEnds } from "@switchyard/core/agents/runner/loose-ends"
import { failCommands, pendingCommands } from "@switchyard/core/agents/runner/worktree-command-rules"
import type { NewEvent } from "@switchyard/core/events"
import { awaitsSaving, endHopelessSaving, endSaving } from "@switchyard/core/files/worktrees/saving"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "@switchyard/core/kernel/session-log"
import { isLive } from "@switchyard/core/kernel/state"
import type { AgentCredentials } from "@switchyard/core/people/accounts/agents"
import type { SessionState } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { decideEnd } from "@switchyard/core/work/runs/decide-end"
import { isForRunner } from "@switchyard/core/work/runs/kinds"
import type { Launch } from "@switchyard/core/work/runs/launcher"
import { failLaunch } from "@switchyard/core/work/runs/rules"
import { runOf } from "@switchyard/core/work/runs/state"
import type { Tasks } from "./ecs.ts"
import type { TaskPlace } from "./task-place.ts"

export interface RunnerLauncherDeps extends SessionLogDeps {
  blobs: Blobs
  place: TaskPlace
  /** Loaded with the first launch: most invocations of the worker need no tasks. */
  openTasks: () => Promise<Tasks>
  masterKey: Uint8Array
  /** On whose account a run works; undefined if there is no such run any more. */
  accountOf: (launch: Launch, options: { signal: AbortSignal }) => Promise<AgentCredentials | undefined>
  verboseErrors: boolean
  report: (error: unknown) => void
}

/** Starts runners as tasks of ECS, one a session. */
export interface RunnerLauncher {
  /**
   * Has a runner execute the run, and stays until it does: it tells the session's log how far that is, asks again for what
   * AWS doesn't give at once, and fails the run if it doesn't give it at all. Any number may do so for the same run at once.
   */
  start(launch: Launch, options: { signal: AbortSignal }): Promise<void>
  /** Has a runner serve the session, for what people ask of its worktree, and what is to be saved of it, in the same way. */
  serve(sid: string, options: { signal: AbortSignal }): Promise<void>
}

/** The goal of a launch. */
interface Wish {
  runId?: string
  /** Whether nobody has done it yet; `dead` is an executor that is known to be gone. */
  isOpen(state: SessionState, dead: string | null): boolean
  /** Says so in the log where nobody can do it. */
  giveUp(
    session: SessionLog,
    why: { reason: string; dead: string | null },
    options: { signal: AbortSignal },
  ): Promise<unknown>
}

/** The number of attempts to run a task, and the waits between them. */
const PAUSES_MS = [2000, 10_000, 30_000, 60_000, 120_000]
const LOOK_MS = 1000
const DESCRIBE_EVERY = 3
/** A small image is there in a minute. */
const CLAIM_WITHIN_MS = 150_000
const KNOWN_WITHIN_MS = 15_000
/** No task is asked for any more after that, so that a worker sees the end of the last one. */
const ASK_WITHIN_MS = 10 * 60_000

export function createRunnerLauncher(deps: RunnerLauncherDeps): RunnerLauncher {
  const { clock } = deps
  let opening: Promise<Tasks> | undefined
  const tasks = () => {
    opening ??= deps.openTasks()
    return opening
  }

  async function bring(sid: string, wish: Wish, options: { signal: AbortSignal }): Promise<void> {
    const session = await openSessionLog(deps, sid, options)
    const began = clock.monotonic()
    let dead = await deadExecutor(session.state, options)
    await session.decide(endHopelessSaving(dead), options)
    let mine: string | undefined
    let failures = 0
    while (wish.isOpen(await session.catchUp(options), dead)) {
      const { executor, generation } = session.state.runner
      const standing = executor !== null && executor !== dead
      const started: Started = standing
        ? { task: taskOf(executor) }
        : await order(session, wish, generation + 1, failures + 1, options)
      if (!standing && started.task) mine = started.task
      const end = started.task ? await watch(session, wish, dead, started.task, failures + 1, options) : started
      if (!end.problem) continue
      if (standing) {
        dead = executor
        continue
      }
      const pauseMs = PAUSES_MS[failures++]
      const outOfTime = clock.monotonic() - began > ASK_WITHIN_MS
      if (pauseMs === undefined || outOfTime || end.phase === undefined) {
        await wish.giveUp(session, { reason: end.problem, dead }, options)
        return
      }
      await say(session, wish, { phase: end.phase, attempt: failures, reason: end.problem }, options)
      await clock.sleep(pauseMs, options)
    }
    // Asked for by us and needed by nobody: its run was cancelled meanwhile, or its session deleted.
    if (mine && taskOf(session.state.runner.executor ?? "") !== mine && !isNeeded(session.state)) {
      await (await tasks()).stop(mine, "Nobody needs this runner any more.", options)
    }
  }

  async function deadExecutor({ runner }: SessionState, options: { signal: AbortSignal }): Promise<string | null> {
    if (runner.executor === null) return null
    const status = await (await tasks()).describe(taskOf(runner.executor), options)
    return status && "stopped" in status ? runner.executor : null
  }

  async function order(
    session: SessionLog,
    wish: Wish,
    generation: number,
    attempt: number,
    options: { signal: AbortSignal },
  ): Promise<Started> {
    const { sid } = session
    const token = tokenOf(deps.place, sid, generation, attempt)
    const environment = {
      RUNNER_SESSION: sid,
      RUNNER_KEY: Buffer.from(runnerKey(deps.masterKey, sid)).toString("base64"),
      EXPOSE_VERBOSE_ERRORS: String(deps.verboseErrors),
    }
    try {
      const ordered = await (await tasks()).run({ token, session: sid, environment }, options)
      if ("problem" in ordered) return { problem: ordered.problem.reason, phase: "waiting" }
      await say(session, wish, { phase: "requested", attempt }, options)
      return ordered
    } catch (error) {
      options.signal.throwIfAborted()
      deps.report(error)
      return { problem: "AWS refuses to start it. The worker's log says why." }
    }
  }

  /** Looks at a task until its session has what it is for, or it can't give that any more. */
  async function watch(
    session: SessionLog,
    wish: Wish,
    dead: string | null,
    task: string,
    attempt: number,
    options: { signal: AbortSignal },
  ): Promise<{ problem?: string; phase?: "lost" }> {
    const { executor } = session.state.runner
    const since = clock.monotonic()
    let phase = "requested"
    for (let look = 1; clock.monotonic() - since < CLAIM_WITHIN_MS; look++) {
      await clock.sleep(LOOK_MS, options)
      const state = await session.catchUp(options)
      if (!wish.isOpen(state, dead) || state.runner.executor !== executor) return {}
      if (look % DESCRIBE_EVERY !== 0) continue
      const status = await (await tasks()).describe(task, options)
      if (status && "stopped" in status) {
        // ECS may need a moment to know what it has just begun.
        if (status.unknown && clock.monotonic() - since < KNOWN_WITHIN_MS) continue
        return { problem: status.stopped, phase: "lost" }
      }
      if (!status || status.phase === phase) continue
      phase = status.phase
      if (taskOf(executor ?? "") !== task) await say(session, wish, { phase: status.phase, attempt }, options)
    }
    const problem = `It did nothing for ${CLAIM_WITHIN_MS / 1000} seconds.`
    await (await tasks()).stop(task, problem, options)
    return { problem, phase: "lost" }
  }

  /** Nothing is said once the wish is fulfilled, or of a runner that stands. */
  async function say(
    session: SessionLog,
    wish: Wish,
    told: { phase: Phase; attempt: number; reason?: string },
    options: { signal: AbortSignal },
  ): Promise<void> {
    await session.decide((state) => {
      if (!wish.isOpen(state, state.runner.executor)) return []
      const run = runOf(state, wish.runId ?? "")
      const about = run ? { run_id: run.runId, agent_id: run.agentId } : {}
      return [{ type: "runner_awaited", ...about, generation: state.runner.generation + 1, ...told }]
    }, options)
  }

  return {
    async start(launch, options) {
      const account = await deps.accountOf(launch, options)
      if (!account) return
      const { sid, runId: run_id, expectedGeneration: expected_generation } = launch
      const notes = createLaunchNotes(
        { records: deps.records, now: clock.now },
        { sid, key: runnerKey(deps.masterKey, sid) },
      )
      const { apiKey: api_key, baseUrl: base_url, home } = account
      const told = { type: "run" as const, run_id, expected_generation, account: { api_key, base_url, home } }
      await notes.leave(told, options)
      await bring(sid, claimOf(deps, launch), options)
    },
    serve: (sid, options) => bring(sid, worktreeServed, options),
  }
}

function claimOf(deps: RunnerLauncherDeps, { runId, expectedGeneration }: Launch): Wish {
  return {
    runId,
    isOpen(state) {
      const run = runOf(state, runId)
      return isLive(state) && run?.status === "queued" && run.generation === expectedGeneration
    },
    async giveUp(session, { reason }, options) {
      const run = runOf(session.state, runId)
      if (!run) return
      // An earlier runner may have begun it, and been lost.
      const rule = (ends: NewEvent[]) => failLaunch(run, expectedGeneration, { reason, now: deps.clock.now(), ends })
      await decideEnd(createLooseEnds(deps), session, run, rule, options)
    },
  }
}

const worktreeServed: Wish = {
  isOpen: (state, dead) => awaitsService(state) && (state.runner.executor === null || state.runner.executor === dead),
  async giveUp(session, { reason, dead }, options) {
    await session.decide(failCommands(reason, dead), options)
    await session.decide(endSaving(dead), options)
  },
}

type Phase = "requested" | "provisioning" | "pending" | "running" | "waiting" | "lost"

/** A task, or why there is none; without a phase, asking again is of no use. */
interface Started {
  task?: string
  problem?: string
  phase?: "waiting" | "lost"
}

/** The same for a launch that is repeated; another for each session, generation and try, and for what is deployed anew. */
function tokenOf({ task_definition }: TaskPlace, sid: string, generation: number, attempt: number): string {
  return createHash("sha256")
    .update(JSON.stringify([task_definition, sid, generation, attempt]))
    .digest("hex")
}

/** A runner in ECS is called after its task. */
function taskOf(executor: string): string {
  return executor.replace(/^ecs-/, "")
}

function isNeeded(state: SessionState): boolean {
  const waiting = Object.values(state.runs.byId).some((run) => isForRunner(run) && run.status === "queued")
  return isLive(state) && (waiting || awaitsService(state))
}

function awaitsService(state: SessionState): boolean {
  return pendingCommands(state).length > 0 || awaitsSaving(state)
}
