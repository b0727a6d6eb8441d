import type { LeftLogin, LoginAnswer, LoginRequest } from "@switchyard/core/agents/runner/login-schema"
import type { FromRunner } from "@switchyard/core/agents/runner/messages"
import { isOfSession } from "@switchyard/core/kernel/keys"
import type { Wakeups } from "@switchyard/core/log/notifier"
import type { RunAccounts } from "@switchyard/core/people/accounts/run-credentials"
import type { StoreServices } from "@switchyard/core/storage/open-stores"
import type { Clock } from "@switchyard/core/time"
import type { ClaimableRun } from "@switchyard/core/work/runs/launcher"
import { createRunnerPlaces, type PlaceLimits } from "./runner-places.ts"
import { type RunMessage, type RunnerProcess, startRunnerProcess } from "./runner-process.ts"

export interface RunnersDeps {
  /** Path of the runner program. */
  program: string
  /** Absolute path. */
  dataFolder: string
  services: StoreServices
  verboseErrors: boolean
  allowedHosts: string[]
  retentionOf: (sid: string) => Promise<number>
  /** Time that an agent waits for an answer before it is stopped. Undefined for the default. */
  parkAfterMs?: number | undefined
  limits: PlaceLimits
  /** Returns the key that seals secrets for a session's runners. */
  keyOf: (sid: string) => Uint8Array
  clock: Clock
  wakeups: Wakeups
  ownerOf: (sid: string) => Promise<string>
  /** Returns a run's account and its fallbacks, or undefined if the run no longer exists. */
  accountsOf: (launch: ClaimableRun) => Promise<RunAccounts | undefined>
  /** Returns true if the session has work for a runner. */
  isNeeded: (sid: string) => Promise<boolean>
  /** Reports in the session log that the session is waiting for a place, with the number of sessions ahead of it. */
  reportWaiting: (sid: string, before: number) => Promise<void>
  /**
   * Handles the runs of a session whose runner has parked or died. Returns true if the session needs another runner.
   */
  lost: (sid: string, runner: { parked: boolean }) => Promise<boolean>
  /** Returns logins that the session's runners borrowed and never gave back. */
  leftLogins: (sid: string) => Promise<LeftLogin[]>
  /** Answers a runner's request about a login. */
  answerLogin: (sid: string, request: LoginRequest) => Promise<LoginAnswer>
  /** At the runner's request, does work outside the session for one of its runs. */
  reconcile: (asked: { sid: string; runId: string }) => Promise<void>
  report: (error: unknown) => void
}

/** Runners on this machine: one process per session, and never more than there are places. */
export interface Runners {
  /** Sends the run to the session's runner. If there is none, starts one as soon as there is a place. */
  start(launch: ClaimableRun): Promise<void>
  /** Starts the session's runner in the same way, without a run. */
  serve(sid: string): Promise<void>
  /** Returns the number of sessions ahead of this one in the queue, or undefined if it isn't waiting. */
  waitingBefore(sid: string): number | undefined
  isServed(sid: string): boolean
  /** Returns the socket reported by the session's runner for the project's server, or undefined if none is running. */
  previewSocket(sid: string): string | undefined
  /** Wakes the runner of the session that this log belongs to. Called when the log has grown. */
  wake(log: string): void
  /**
   * Asks all runners to park. Resolves when they have parked or time is up, because they can finish without this
   * process.
   */
  stop(): Promise<void>
}

const PARK_WITHIN_MS = 4000
const IDLE_MS = 300_000

/** A killed runner is replaced at most this many times, because its work may be the cause. */
const MAX_CRASHES = 3

/**
 * Sessions further back in the queue get their position only when they join. It is updated once they get this close.
 */
const REPORTED_BEFORE = 10

export function createRunners(deps: RunnersDeps): Runners {
  const places = createRunnerPlaces(deps.limits)
  const running = new Map<string, RunnerProcess>()
  const exits = new Set<Promise<void>>()
  const crashes = new Map<string, number>()
  /** Runs to send to a session's runner. They are also in the log, where the server finds them after a restart. */
  const launches = new Map<string, Map<string, ClaimableRun>>()
  /** Sockets of the projects' servers, by session. */
  const previews = new Map<string, string>()
  /** Last position reported to each waiting session. */
  const reported = new Map<string, number>()
  let stopped = false
  const report = (error: unknown) => void (stopped || deps.report(error))

  /** Sends the session's launches to its runner, starting one if necessary. If no place is free, queues the session. */
  async function launchRunner(sid: string): Promise<void> {
    const owner = await deps.ownerOf(sid)
    if (stopped) return
    if (running.has(sid) || places.request(sid, owner)) return sendLaunches(sid)
    askToYield()
    await reportPosition(sid)
  }

  async function sendLaunches(sid: string): Promise<void> {
    const taken = [...(launches.get(sid)?.values() ?? [])]
    launches.delete(sid)
    const messages = await Promise.all(taken.map(messageOf))
    const left = running.has(sid) ? [] : ((await deps.leftLogins(sid).catch(report)) ?? [])
    const retentionMs = running.has(sid) ? undefined : ((await deps.retentionOf(sid).catch(report)) ?? undefined)
    if (stopped) return
    if (!running.has(sid) && !places.has(sid)) {
      // The runner has exited in the meantime.
      taken.forEach(remember)
      return launchRunner(sid)
    }
    const runner = running.get(sid) ?? startRunner(sid, left, retentionMs)
    for (const message of messages) if (message) runner.sendRun(message)
    askToYield()
  }

  async function messageOf(launch: ClaimableRun): Promise<RunMessage | undefined> {
    const accounts = await deps.accountsOf(launch).catch(report)
    if (!accounts) return undefined
    return { type: "run", run_id: launch.runId, expected_generation: launch.expectedGeneration, ...accounts }
  }

  function startRunner(sid: string, left_logins: LeftLogin[], retention_ms: number | undefined): RunnerProcess {
    reported.delete(sid)
    const {
      dataFolder: data_folder,
      services: { pathStyle: path_style = false, table, bucket },
      verboseErrors: verbose_errors,
      allowedHosts: allowed_hosts,
      parkAfterMs: park_after_ms,
    } = deps
    const key = Buffer.from(deps.keyOf(sid)).toString("base64")
    const services = { table, bucket, path_style }
    const settings = {
      data_folder,
      services,
      verbose_errors,
      allowed_hosts,
      local: true,
      idle_ms: IDLE_MS,
      programs: [],
    }
    const start = { type: "start" as const, sid, key, ...settings, park_after_ms, retention_ms, left_logins }
    const runner = startRunnerProcess(deps.program, start, { report, receive: (message) => receive(sid, message) })
    running.set(sid, runner)
    const exit = runner.exited
      .then((parked) => onExit(sid, runner, parked))
      .catch(report)
      .finally(() => exits.delete(exit))
    exits.add(exit)
    return runner
  }

  function receive(sid: string, message: FromRunner): void {
    // The sweep does this too, so if this process doesn't finish, the next one does.
    if (message.type === "reconcile" && !stopped) deps.reconcile({ sid, runId: message.run_id }).catch(report)
    if (message.type === "login") void answerLogin(sid, message)
    if (message.type === "preview") notePreview(sid, message.socket)
    // A runner may wake only readers of its own session's logs.
    if (message.type === "wake" && isOfSession(message.log, sid)) deps.wakeups.notify(message.log)
  }

  /** Answers even while this process is stopping, because renewed logins aren't stored anywhere else. */
  async function answerLogin(sid: string, { id, request }: Extract<FromRunner, { type: "login" }>): Promise<void> {
    const runner = running.get(sid)
    const answer = await deps.answerLogin(sid, request).catch(report)
    runner?.send({ type: "login", id, ...(answer && { answer }) })
  }

  function notePreview(sid: string, socket: string | null): void {
    if (socket === null) previews.delete(sid)
    else previews.set(sid, socket)
  }

  /** Gives the place to the next session, resends runs that a parking runner missed, and replaces a dead runner. */
  async function onExit(sid: string, runner: RunnerProcess, parked: boolean): Promise<void> {
    running.delete(sid)
    previews.delete(sid)
    if (stopped) return
    if (parked) await freePlace(sid)
    const missed = parked ? runner.unconfirmed : []
    for (const { run_id: runId, expected_generation: expectedGeneration } of missed) {
      remember({ sid, runId, expectedGeneration })
    }
    const crashed = parked ? 0 : (crashes.get(sid) ?? 0) + 1
    if (crashed === 0) crashes.delete(sid)
    else crashes.set(sid, crashed)
    const isNeeded = (await deps.lost(sid, { parked })) && crashed < MAX_CRASHES
    if (missed.length > 0 || isNeeded) await launchRunner(sid)
    else if (!parked && !running.has(sid)) await freePlace(sid)
  }

  /** Releases a session's place, and grants all free places to waiting sessions. */
  async function freePlace(sid: string): Promise<void> {
    places.release(sid)
    for (let granted = places.grant(); granted.length > 0 && !stopped; granted = places.grant()) {
      await Promise.all(granted.map(takePlace))
    }
    for (const waiting of places.waiting()) await reportPosition(waiting)
    askToYield()
  }

  /** Uses a granted place. Releases it if the session was deleted, or its runs were cancelled, while it was waiting. */
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

  /** Asks runners to exit once they are idle, if that makes room for a waiting session. */
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
    previewSocket: (sid) => previews.get(sid),
    wake: (log) => running.get(/^s\/([^/]+)\//.exec(log)?.[1] ?? "")?.send({ type: "wake", log }),
    async stop() {
      stopped = true
      for (const runner of running.values()) runner.stop()
      const done = new AbortController()
      const timeout = deps.clock.sleep(PARK_WITHIN_MS, done).catch(() => undefined)
      await Promise.race([Promise.all(exits), timeout])
      done.abort()
    },
  }
}
