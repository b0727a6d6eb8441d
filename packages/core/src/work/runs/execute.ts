import { AppError, attempt, isAppError, type Outcome } from "../../errors.ts"
import type { EventOf, LogEvent } from "../../events.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import type { DueList } from "../../kernel/due.ts"
import { logName } from "../../kernel/keys.ts"
import { LEASE_MS } from "../../kernel/lease.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import { classifyError, exceptionChain } from "./classify-error.ts"
import { keepLease, watch } from "./heartbeat.ts"
import { type InputOf, type RunKind, runKinds } from "./kinds.ts"
import type { ClaimableRun, Launcher } from "./launcher.ts"
import { createLiveness, type Liveness, type LivenessOptions } from "./liveness.ts"
import { asAgent, asExecutor, claimRun, endRun, handOverRun, parkRun, type RunEnd } from "./rules.ts"
import { type RunContext, RunHandOver, RunParked, type RunWork } from "./run-context.ts"
import type { RunIndex } from "./run-index.ts"
import type { RunKeys } from "./run-secrets.ts"
import { createRunWriter } from "./run-writer.ts"
import { runOf } from "./state.ts"
import { launchWoken, nextLook } from "./waking.ts"

export interface ExecutorDeps extends SessionLogDeps, LivenessOptions {
  blobs: Blobs
  due: DueList
  index: RunIndex
  keys: RunKeys
  /** The store of the leases: it must answer in time, or the run is given up. */
  leases: Records
  /** Present where this executor may launch runs that it wakes. */
  launcher?: Pick<Launcher, "start">
  /** This executor's name, in the log and in the lease. */
  executor: string
  /** Whether a failure says in the log what it came from, in the words of whatever threw. */
  verboseErrors: boolean
  /** Hears of failures that are no one's fault but ours, with all that is known of them. */
  report: (error: unknown) => void
}

/** The kind of runs that an executor takes, and their work. */
export interface KindOfWork<K extends RunKind> {
  kind: K
  work: RunWork<InputOf<K>>
}

export interface ExecuteOptions {
  /** Aborts when the executor itself must stop: the run is handed over then. */
  signal: AbortSignal
  /** Milliseconds that this executor has left; without it, all the time in the world. */
  remainingMs?: () => number
}

const STEP_NEEDS_MS = 5 * 60_000
const CONCLUDE_WITHIN_MS = 30_000
/** For so long, work that was stopped because the run is another's may close what it has open. */
const LET_GO_AFTER_MS = 30_000

/**
 * Executes a run to its end, or as far as this executor gets. Resolves when there is nothing left to do here: the run
 * ended, was handed over, or belongs to somebody else. A launch that comes late or twice does nothing.
 */
export async function executeRun<K extends RunKind>(
  deps: ExecutorDeps & KindOfWork<K>,
  launch: ClaimableRun,
  options: ExecuteOptions,
): Promise<void> {
  const session = await begin(deps, launch, options)
  if (!session) return

  const generation = launch.expectedGeneration + 1
  const stop = new AbortController()
  const left = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const idle = AbortSignal.any([signal, left.signal])
  const liveness = createLiveness(deps.clock, deps)
  const background = Promise.all([
    keepLease(deps, launch, generation, liveness, idle, (reason) => stop.abort(reason)),
    watch(deps, session, launch.runId, generation, liveness, idle, (reason) => stop.abort(reason)),
  ])
  let warning: string | undefined
  const working = attempt(async () => {
    const context = await createContext(deps, session, launch, generation, liveness, signal, options, (reason) =>
      stop.abort(reason),
    )
    await deps.work({ ...context, warn: (text) => (warning = text) })
    await context.write([])
  })
  const lost = lostFor(deps, stop.signal, left.signal)
  const outcome = await Promise.race([working, lost])
  left.abort()
  await Promise.race([background, lost])
  if (isAppError(stop.signal.reason, "run_superseded") || isAppError(outcome.error, "run_superseded")) {
    return forgetIfGone(deps, session, launch.runId)
  }
  await conclude(deps, session, launch, generation, { ...outcome, warning }, options)
}

/** Settles some time after the run was lost to another: work that hangs may not hear that it should stop. */
async function lostFor({ clock }: ExecutorDeps, stopped: AbortSignal, left: AbortSignal): Promise<Outcome> {
  await new Promise<void>((resolve) => stopped.addEventListener("abort", () => resolve(), { once: true }))
  if (!isAppError(stopped.reason, "run_superseded")) return new Promise<never>(() => {})
  await attempt(() => clock.sleep(LET_GO_AFTER_MS, { signal: left }))
  return { error: stopped.reason }
}

/** The session with the run claimed in it; nothing if it is another's, or if we must stop: then it is launched again. */
async function begin(
  deps: ExecutorDeps,
  launch: ClaimableRun,
  { signal }: ExecuteOptions,
): Promise<SessionLog | undefined> {
  try {
    const session = await openSessionLog(deps, launch.sid, { signal })
    return (await claim(deps, session, launch, signal)) ? session : undefined
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** Erases the caller's key where the run is gone with its session. Otherwise the executor that has the run now needs it. */
async function forgetIfGone({ keys }: ExecutorDeps, { state }: SessionLog, runId: string): Promise<void> {
  if (!runOf(state, runId)) await keys.erase(runId, { signal: AbortSignal.timeout(CONCLUDE_WITHIN_MS) })
}

async function claim(
  deps: ExecutorDeps,
  session: SessionLog,
  launch: ClaimableRun,
  signal: AbortSignal,
): Promise<boolean> {
  const { sid, runId, expectedGeneration } = launch
  await deps.due.add({ kind: "run", sid, run_id: runId }, deps.clock.now() + LEASE_MS, { signal })
  const outcome = await attempt(() => session.decide(claimRun(runId, deps.executor, expectedGeneration), { signal }))
  if (outcome.error && !isAppError(outcome.error, "run_superseded")) throw outcome.error
  return !outcome.error
}

async function createContext<K extends RunKind>(
  deps: ExecutorDeps & KindOfWork<K>,
  session: SessionLog,
  { sid, runId }: ClaimableRun,
  generation: number,
  liveness: Liveness,
  signal: AbortSignal,
  options: ExecuteOptions,
  stop: (reason: unknown) => void,
): Promise<Omit<RunContext<InputOf<K>>, "warn">> {
  const { log, blobs, clock, index, keys } = deps
  const firstSeq = session.state.runs.byId[runId]?.firstSeq ?? 1
  async function* history() {
    for await (const event of log.read(logName(sid), firstSeq - 1, { signal })) {
      liveness.moved()
      if (event.run_id === runId) yield event
    }
  }
  const created = await createdEvent(history())
  const owner = (await index.get(runId, { signal }))?.owner
  const lasting = abortedAfter(signal, CONCLUDE_WITHIN_MS)
  const writer = createRunWriter({ session, clock, runId, generation, signal, onFailure: stop })
  return {
    async write(events) {
      await writer.write(events)
      liveness.moved()
    },
    say: writer.say,
    outside: liveness.outside,
    sid,
    signal,
    runId,
    model: created.model,
    input: await readField(blobs, created.input, runKinds[deps.kind].input, { signal }),
    apiKey: owner === undefined ? undefined : await keys.get(owner, runId, { signal }),
    state: () => session.state,
    catchUp: () => session.catchUp({ signal }),
    history,
    async record(events) {
      await session.decide(asAgent(runId, generation, events), { signal: lasting })
      liveness.moved()
    },
    async commit(changes, step) {
      await writer.write([])
      const guard = (events: Parameters<typeof asExecutor>[2]) => asExecutor(runId, generation, events)
      await commitChanges({ blobs }, session, changes, { step, guard, signal })
      liveness.moved()
    },
    beforeStep() {
      signal.throwIfAborted()
      if ((options.remainingMs?.() ?? Number.POSITIVE_INFINITY) < STEP_NEEDS_MS) throw new RunHandOver()
    },
  }
}

/** Aborts some time after the signal does, so that what is under way is concluded. */
function abortedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController()
  const abort = () => AbortSignal.timeout(ms).addEventListener("abort", () => late.abort(signal.reason))
  if (signal.aborted) abort()
  else signal.addEventListener("abort", abort, { once: true })
  return late.signal
}

async function createdEvent(history: AsyncIterable<{ type: string }>): Promise<EventOf<"run_created">> {
  for await (const event of history) if (event.type === "run_created") return event as EventOf<"run_created">
  throw new AppError("internal_error", "The run has no beginning.")
}

/** Says how it ended. The signals of the work may be aborted by now, so this has its own time. */
async function conclude(
  deps: ExecutorDeps,
  session: SessionLog,
  { sid, runId }: ClaimableRun,
  generation: number,
  outcome: Outcome & { warning: string | undefined },
  options: ExecuteOptions,
): Promise<void> {
  const { due, clock } = deps
  const signal = AbortSignal.timeout(CONCLUDE_WITHIN_MS)
  const now = clock.now()
  const { error } = outcome
  const parking = error instanceof RunParked ? error : undefined
  const handOver = error instanceof RunHandOver || (error !== undefined && !parking && options.signal.aborted)
  const look = parking?.waitsFor && nextLook(parking.waitsFor, now)
  if (handOver || look) await due.add({ kind: "run", sid, run_id: runId }, look ?? now, { signal })
  const rule = parking
    ? parkRun(runId, generation, { reason: parking.message, waitsFor: parking.waitsFor, now })
    : handOver
      ? handOverRun(runId, generation, now)
      : endRun(runId, generation, now, endOf(outcome, deps.verboseErrors))
  let decided: LogEvent[] = []
  const concluded = await attempt(async () => {
    decided = await session.decide(rule, { signal })
  })
  if (concluded.error && !isAppError(concluded.error, "run_superseded")) throw concluded.error
  const launched = await attempt(() => launchWoken(deps, session, decided, { signal }))
  // The sweep launches them, too, if a minute later.
  if (launched.error) deps.report(launched.error)
  if (handOver || parking) return
  if (error && !isAppError(error, "run_cancelled")) deps.report(error)
  await deps.keys.erase(runId, { signal })
}

function endOf({ error, warning }: { error?: unknown; warning: string | undefined }, verbose: boolean): RunEnd {
  if (error === undefined) return { type: "run_completed", ...(warning !== undefined && { warning }) }
  // By the work itself, which heard of it in another way than by the log.
  if (isAppError(error, "run_cancelled")) return { type: "run_cancelled", reason: error.message }
  const message = error instanceof AppError ? error.message : "The run failed."
  const chain = verbose ? exceptionChain(error) : undefined
  return { type: "run_failed", message, ...classifyError(error), exception_chain: chain }
}
