import type { LeftLogin } from "@switchyard/core/agents/runner/login-schema"
import type { RunAccounts } from "@switchyard/core/people/accounts/run-credentials"
import type { Clock } from "@switchyard/core/time"
import type { ClaimableRun } from "@switchyard/core/work/runs/launcher"
import { createRunnerPlaces, type PlaceLimits } from "./runner-places.ts"
import type { ProcessEnd, RunMessage } from "./runner-process.ts"
import { createRunnerProcesses, type RunnerExit, type RunnerProcessesDeps } from "./runner-processes.ts"

export interface RunnersDeps extends RunnerProcessesDeps {
  retentionOf: (sid: string) => Promise<number>
  limits: PlaceLimits
  clock: Clock
  ownerOf: (sid: string) => Promise<string>
  /** Returns a run's account and its fallbacks, or undefined if the run no longer exists. */
  accountsOf: (launch: ClaimableRun) => Promise<RunAccounts | undefined>
  /** Returns true if the session has work for a runner. */
  isNeeded: (sid: string) => Promise<boolean>
  /** Reports in the session log that the session is waiting for a slot, and how many sessions are ahead of it. */
  reportWaiting: (sid: string, before: number) => Promise<void>
  /** Handles the runs of a session whose runner has parked or died. Returns true if the session needs a new runner. */
  lost: (sid: string, runner: ProcessEnd) => Promise<boolean>
  /** Returns the logins that the session's runners borrowed and never returned. */
  leftLogins: (sid: string) => Promise<LeftLogin[]>
}

/** Runners on this machine: one process per session, limited by the number of slots. */
export interface Runners {
  /** Sends the run to the session's runner. If the session has no runner, starts one as soon as there is a slot. */
  start(launch: ClaimableRun): Promise<void>
  /** Starts the session's runner like `start`, but without a run. */
  serve(sid: string): Promise<void>
  /** Returns the number of sessions ahead of this one in the queue, or undefined if this session isn't waiting. */
  waitingBefore(sid: string): number | undefined
  isServed(sid: string): boolean
  /**
   * Returns the socket path that the session's runner reported for the project's server, or undefined if no server is
   * running.
   */
  previewSocket(sid: string): string | undefined
  /** Wakes the runner of the log's session. Called after events were appended to the log. */
  wake(log: string): void
  /**
   * Asks all runners to park. Resolves when all have parked or the time is up. Runners that haven't parked by then can
   * finish without this process.
   */
  stop(): Promise<void>
}

const PARK_WITHIN_MS = 4000

/**
 * Maximum number of consecutive times that a runner is replaced after it died. Without a limit, work that kills its
 * runner would kill every replacement.
 */
const MAX_CRASHES = 3

/**
 * Number of sessions at the front of the queue that record each new position in their log. Sessions further back record
 * only the position at which they joined.
 */
const REPORTED_BEFORE = 10

export function createRunners(deps: RunnersDeps): Runners {
  const places = createRunnerPlaces(deps.limits)
  const stopping = new AbortController()
  const stopped = stopping.signal
  const report = (error: unknown) => void (stopped.aborted || deps.report(error))
  const running = createRunnerProcesses({ ...deps, report }, { stopped, onExit })
  const crashes = new Map<string, number>()
  /**
   * Runs to send to each session's runner. The runs are also in the session's log, from which the server restores them
   * after a restart.
   */
  const launches = new Map<string, Map<string, ClaimableRun>>()
  /** Last position reported to each waiting session. */
  const reported = new Map<string, number>()

  /**
   * Sends the session's launches to its runner, starting one if necessary. If no slot is free, adds the session to the
   * queue.
   */
  async function launchRunner(sid: string): Promise<void> {
    const owner = await deps.ownerOf(sid)
    if (stopped.aborted) return
    if (running.has(sid) || places.request(sid, owner)) return sendLaunches(sid)
    askToYield()
    await reportPosition(sid)
  }

  async function sendLaunches(sid: string): Promise<void> {
    const taken = [...(launches.get(sid)?.values() ?? [])]
    launches.delete(sid)
    const messages = await Promise.all(taken.map(messageOf))
    const leftLogins = running.has(sid) ? [] : ((await deps.leftLogins(sid).catch(report)) ?? [])
    const retentionMs = running.has(sid) ? undefined : ((await deps.retentionOf(sid).catch(report)) ?? undefined)
    if (stopped.aborted) return
    if (!running.has(sid) && !places.has(sid)) {
      // The runner has exited since it was found, so keep the runs for the next runner.
      taken.forEach(remember)
      return launchRunner(sid)
    }
    const runner = running.get(sid) ?? running.start(sid, { leftLogins, retentionMs })
    reported.delete(sid)
    for (const message of messages) if (message) runner.sendRun(message)
    askToYield()
  }

  async function messageOf(launch: ClaimableRun): Promise<RunMessage | undefined> {
    const accounts = await deps.accountsOf(launch).catch(report)
    if (!accounts) return undefined
    return { type: "run", run_id: launch.runId, expected_generation: launch.expectedGeneration, ...accounts }
  }

  /**
   * Handles a runner's exit. Gives a parked runner's slot to the next session, resends runs that the parked runner
   * didn't accept, and replaces a dead runner.
   */
  async function onExit(sid: string, { parked, how, unconfirmed }: RunnerExit): Promise<void> {
    if (parked) await freePlace(sid)
    const missed = parked ? unconfirmed : []
    for (const { run_id: runId, expected_generation: expectedGeneration } of missed) {
      remember({ sid, runId, expectedGeneration })
    }
    const crashed = parked ? 0 : (crashes.get(sid) ?? 0) + 1
    if (crashed === 0) crashes.delete(sid)
    else crashes.set(sid, crashed)
    const isNeeded = (await deps.lost(sid, { parked, how })) && crashed < MAX_CRASHES
    if (missed.length > 0 || isNeeded) await launchRunner(sid)
    else if (!parked && !running.has(sid)) await freePlace(sid)
  }

  /** Releases a session's slot, and gives all free slots to waiting sessions. */
  async function freePlace(sid: string): Promise<void> {
    places.release(sid)
    for (let granted = places.grant(); granted.length > 0 && !stopped.aborted; granted = places.grant()) {
      await Promise.all(granted.map(takePlace))
    }
    for (const waiting of places.waiting()) await reportPosition(waiting)
    askToYield()
  }

  /**
   * Starts the runner of a session that received a slot. Releases the slot instead if the session was deleted or its
   * runs were cancelled while it was waiting.
   */
  async function takePlace(sid: string): Promise<void> {
    const isNeeded = await deps.isNeeded(sid).catch(report)
    if (isNeeded !== false) return sendLaunches(sid)
    launches.delete(sid)
    reported.delete(sid)
    places.release(sid)
  }

  async function reportPosition(sid: string): Promise<void> {
    const before = places.before(sid)
    const last = reported.get(sid)
    if (before === undefined || before === last || (last !== undefined && before >= REPORTED_BEFORE)) return
    reported.set(sid, before)
    await deps.reportWaiting(sid, before).catch(report)
  }

  /** Asks runners that block a waiting session to exit as soon as they are idle. */
  function askToYield(): void {
    const inTheWay = new Set(places.waiting().flatMap((sid) => places.inTheWayOf(sid)))
    for (const sid of inTheWay) running.get(sid)?.send({ type: "yield" })
  }

  function remember(launch: ClaimableRun): void {
    const ofSession = launches.get(launch.sid) ?? new Map<string, ClaimableRun>()
    launches.set(launch.sid, ofSession.set(launch.runId, launch))
  }

  return {
    async start(launch) {
      remember(launch)
      await launchRunner(launch.sid)
    },
    serve: launchRunner,
    waitingBefore: (sid) => places.before(sid),
    isServed: (sid) => running.has(sid),
    previewSocket: (sid) => running.previewSocket(sid),
    wake: (log) => running.get(/^s\/([^/]+)\//.exec(log)?.[1] ?? "")?.send({ type: "wake", log }),
    async stop() {
      stopping.abort()
      const done = new AbortController()
      const timeout = deps.clock.sleep(PARK_WITHIN_MS, done).catch(() => undefined)
      await Promise.race([running.park(), timeout])
      done.abort()
    },
  }
}
