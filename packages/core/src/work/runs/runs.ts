import { MAIN_AGENT } from "../../agents/conversations/schema.ts"
import { AppError, isAppError } from "../../errors.ts"
import type { NewEvent } from "../../events.ts"
import { MAIN_WORKTREE, namedWorktree } from "../../files/worktrees/names-schema.ts"
import type { Remote } from "../../files/worktrees/remote.ts"
import type { DueList } from "../../kernel/due.ts"
import { logName } from "../../kernel/keys.ts"
import { inOpenSession } from "../../kernel/rules.ts"
import { openSessionLog, type Rule, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { isLive } from "../../kernel/state.ts"
import type { Log } from "../../log/log.ts"
import type { WorkBudgetChange } from "../../people/budget/schema.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { createRun } from "./admission.ts"
import { type CloseLooseEnds, decideEnd } from "./decide-end.ts"
import { findRun } from "./ended-runs.ts"
import { isForAnother, type KindAndInput, summaryOf } from "./kinds.ts"
import { type Launcher, START_WITHIN_MS } from "./launcher.ts"
import { type AfterRun, type AskingSessions, createReconcile } from "./reconcile.ts"
import { cancelRun, resumeRun, runEnded } from "./rules.ts"
import type { RunIndex, RunRef } from "./run-index.ts"
import type { RunSecrets } from "./run-secrets.ts"
import { isEnded, type RunState, runOf } from "./state.ts"
import { titleOf } from "./title.ts"
import { wokenBy } from "./waking.ts"

export interface RunsDeps extends SessionLogDeps {
  blobs: Blobs
  report: (error: unknown) => void
  due: DueList
  index: RunIndex
  keys: RunSecrets
  launcher: Pick<Launcher, "start">
  closeLooseEnds: CloseLooseEnds
  questionIndex?: AskingSessions
  /** The agents of a session that may be at work at once, if not the usual number. */
  maxActive?: number
  afterRun?: AfterRun
  deliveries?: AskingSessions
  ledger?: AskingSessions
  budgetWaits?: AskingSessions
  /** Asked before a run that waits goes on. */
  budgets?: RequireOwnerBudget
}

/** Throws `budget_reached` where an owner's budget is used up. */
export interface RequireOwnerBudget {
  require(owner: string, options: { signal: AbortSignal }): Promise<void>
}

/** A run to be started, but for its session; neither `apiKey` nor the credentials of `remote` ever enter the log. */
export type SessionlessRun = KindAndInput & {
  owner: string
  model: string
  apiKey?: string
  /** The account that the key is of, if it is one's. */
  account?: string | undefined
  /** The repository that the request names, with the credentials that it gives for it. */
  remote?: Remote
  /** The agent that the run belongs to, and the worktree that it works in; `main` where none is named. */
  agentId?: string
  worktree?: string
  /** The most that it may use, set in the batch that creates it. */
  budget?: WorkBudgetChange | null | undefined
  /** Of the run, when the caller must know it beforehand. */
  runId?: string
  /** Whether other requests may ask for the run under the same id, at this moment or later. */
  repeatable?: boolean
  /** Decides what else happens as the run is created, in the same batch; its refusal is the run's. */
  alongside?: (runId: string) => Rule
}

export type NewRun = SessionlessRun & { sid: string; sessionId: string }

export type IdentifiedRun = NewRun & { runId: string }

/** The rule that creates a run. */
export type CreateRun = (run: IdentifiedRun) => Rule

/** A run, where it lies, and how far its session's log goes. */
export interface LocatedRun {
  ref: RunRef
  run: RunState
  head: number
}

export interface CancelOptions {
  signal: AbortSignal
  /** Asked as the cancellation is decided: if it isn't so any more, the run stays as it is. */
  onlyIf?: (state: SessionState) => boolean
}

export interface Runs {
  /** Creates a run and launches it, in a session that is opened if need be. Throws `run_active` if its agent or its worktree has one already. */
  start(run: NewRun, options: { signal: AbortSignal }): Promise<RunState>
  /**
   * Creates and launches runs of one session in one batch: all of them, or none. The rule creates them, with `create`, and may decide more; where
   * it decides nothing, none is launched.
   */
  startTogether(
    runs: IdentifiedRun[],
    rule: (create: CreateRun) => Rule,
    options: { signal: AbortSignal },
  ): Promise<void>
  /** The run and where it lies, if it is the owner's. Throws `run_not_found` for everyone else. */
  get(owner: string, runId: string, options: { signal: AbortSignal }): Promise<LocatedRun>
  /**
   * The run that an earlier request with the same id started; undefined if it didn't get that far. Throws `run_not_found`
   * if the run is gone with its session: an id that was used is not used again.
   */
  findRepeated(owner: string, runId: string, options: { signal: AbortSignal }): Promise<LocatedRun | undefined>
  /** Asks the run to stop, and a check that it waits for, as often as one likes. Resolves to the run as it is then. */
  cancel(owner: string, runId: string, reason: string, options: CancelOptions): Promise<RunState>
  /** Wakes a parked run. */
  resume(owner: string, runId: string, options: { signal: AbortSignal }): Promise<RunState>
  list(
    owner: string,
    options: { before?: string; limit: number; signal: AbortSignal },
  ): AsyncGenerator<Omit<LocatedRun, "head">>
}

export function createRuns(deps: RunsDeps): Runs {
  const { clock, newId, due, index, keys, launcher } = deps

  /** Writes what lets the sweep find the run: before the event, so that it does if we die after that. */
  async function announce(run: IdentifiedRun, options: { signal: AbortSignal }): Promise<void> {
    const { owner, sid, sessionId: session_id, runId: run_id, apiKey } = run
    await Promise.all([
      index.add({ run_id, owner, sid, session_id, created_at: clock.now() }, options),
      due.add({ kind: "run", sid, run_id }, clock.now() + START_WITHIN_MS, options),
      apiKey === undefined ? undefined : keys.store(owner, run_id, apiKey, options),
    ])
  }

  async function withdraw(runId: string, options: { signal: AbortSignal }): Promise<void> {
    await Promise.all([index.remove(runId, options), keys.erase(runId, options)])
  }

  function creation(run: IdentifiedRun): Rule {
    const { runId: run_id, model, kind, input, account, agentId = MAIN_AGENT, worktree = MAIN_WORKTREE } = run
    const { words, repository, program, verify } = summaryOf(run)
    const about = { run_id, agent_id: agentId, ...namedWorktree(worktree) }
    const created = createRun(
      { ...about, kind, model, title: titleOf(words), account, repository, program, verify, input },
      deps,
    )
    const { usd = null, tokens = null } = run.budget ?? {}
    if (usd === null && tokens === null) return created
    return both(created, () => [{ type: "budget_set", run_id, agent_id: agentId, scope: "run", usd, tokens }])
  }

  async function start(asked: NewRun, options: { signal: AbortSignal }): Promise<RunState> {
    const run = { ...asked, runId: asked.runId ?? newId("run") }
    const { runId, sid, sessionId, kind } = run
    const session = await openSessionLog(deps, sid, options)
    await announce(run, options)
    const rule = creation(run)
    const created = run.alongside ? both(rule, run.alongside(runId)) : rule
    try {
      await session.decide(inOpenSession(sessionId, created), options)
    } catch (error) {
      // Only a refusal is certain: after any other error the run may be there. What another request for the same run may
      // have written meanwhile is the sweep's to forget.
      if (isRefusal(error) && !run.repeatable) {
        await withdraw(runId, options)
      }
      throw error
    }
    await launcher.start({ sid, runId, expectedGeneration: 0, kind }, options)
    return runIn(session, runId, options)
  }

  async function startTogether(
    runs: IdentifiedRun[],
    rule: (create: CreateRun) => Rule,
    options: { signal: AbortSignal },
  ): Promise<void> {
    const [first] = runs
    if (!first) return
    await Promise.all(runs.map((run) => announce(run, options)))
    const session = await openSessionLog(deps, first.sid, options)
    try {
      await session.decide(rule(creation), options)
    } catch (error) {
      if (isRefusal(error)) await Promise.all(runs.map(({ runId }) => withdraw(runId, options)))
      throw error
    }
    for (const { sid, runId, kind } of runs) {
      if (runOf(session.state, runId)) await launcher.start({ sid, runId, expectedGeneration: 0, kind }, options)
    }
  }

  async function find(owner: string, runId: string, options: { signal: AbortSignal }) {
    const ref = await index.get(runId, options)
    if (ref?.owner !== owner) throw notFound(runId)
    return { ref, session: await openSessionLog(deps, ref.sid, options) }
  }

  async function runIn({ sid, state }: SessionLog, runId: string, options: { signal: AbortSignal }): Promise<RunState> {
    const run = isLive(state) && (await findRun(deps.records, { sid, state }, runId, options))
    if (!run) throw notFound(runId)
    return run
  }

  async function cancel(owner: string, runId: string, reason: string, options: CancelOptions): Promise<RunState> {
    const { session } = await find(owner, runId, options)
    const found = await runIn(session, runId, options)
    if (isEnded(found)) return found
    // Nobody else has to look at a run that waits: if we die after the event, the sweep does what follows from it.
    if (found.status === "parked") {
      await due.add({ kind: "run", sid: session.sid, run_id: runId }, clock.now() + START_WITHIN_MS, options)
    }
    const { onlyIf = () => true } = options
    const rule = (ends: NewEvent[]): Rule => {
      return (state) => (onlyIf(state) ? cancelRun(runId, reason, clock.now(), ends)(state) : [])
    }
    // A runner that executes it tells itself how it ends.
    const decided =
      found.status === "running"
        ? await session.decide(rule([]), options)
        : await decideEnd(deps.closeLooseEnds, session, { ...found, cancelReason: reason }, rule, options)
    const reconcile = createReconcile(deps)
    for (const woken of wokenBy(decided)) await reconcile(session, woken, options)
    const run = await runIn(session, runId, options)
    if (run.status === "cancelled") await reconcile(session, runId, options)
    const awaited = found.waitsFor?.run && runOf(session.state, found.waitsFor.run)
    if (awaited && isForAnother(awaited)) await cancel(owner, awaited.runId, reason, options)
    return run
  }

  return {
    start,
    startTogether,
    async get(owner, runId, options) {
      const { ref, session } = await find(owner, runId, options)
      return { ref, run: await runIn(session, runId, options), head: session.state.head }
    },
    async findRepeated(owner, runId, options) {
      const ref = await index.get(runId, options)
      if (ref?.owner !== owner) return undefined
      const { sid, state } = await openSessionLog(deps, ref.sid, options)
      const run = await findRun(deps.records, { sid, state }, runId, options)
      if (run) return { ref, run, head: state.head }
      if (await wasCreatedBefore(deps.log, { sid, state }, runId, options)) throw notFound(runId)
      return undefined
    },
    cancel,
    async resume(owner, runId, options) {
      const { ref, session } = await find(owner, runId, options)
      const found = await runIn(session, runId, options)
      if (isEnded(found)) throw runEnded(found)
      await deps.budgets?.require(owner, options)
      await due.add({ kind: "run", sid: ref.sid, run_id: runId }, clock.now() + START_WITHIN_MS, options)
      await session.decide(resumeRun(runId), options)
      const run = await runIn(session, runId, options)
      if (run.status === "queued") {
        const { generation: expectedGeneration, kind } = run
        await launcher.start({ sid: ref.sid, runId, expectedGeneration, kind }, options)
      }
      return run
    },
    async *list(owner, { before, limit, signal }) {
      let left = limit
      const sessions = new Map<string, SessionLog>()
      for await (const ref of index.ofOwner(owner, { before, signal })) {
        if (left === 0) return
        const session = sessions.get(ref.sid) ?? (await openSessionLog(deps, ref.sid, { signal }))
        const { sid, state } = session
        sessions.set(sid, session)
        const run = isLive(state) && (await findRun(deps.records, { sid, state }, ref.run_id, { signal }))
        if (!run) continue
        left--
        yield { ref, run }
      }
    },
  }
}

/** The events of both rules, or the first refusal; none where the first has none. */
export function both(first: Rule, second: Rule): Rule {
  return (state) => {
    const events = first(state)
    if (events instanceof AppError || events.length === 0) return events
    const others = second(state)
    return others instanceof AppError ? others : [...events, ...others]
  }
}

/** Whether an earlier life of the session had this run: to be asked only of a run that its present life doesn't have. */
export async function wasCreatedBefore(
  log: Log,
  { sid, state: { session } }: Pick<SessionLog, "sid" | "state">,
  runId: string,
  options: { signal: AbortSignal },
): Promise<boolean> {
  const end = session.since?.seq ?? 0
  for await (const event of log.read(logName(sid), 0, options)) {
    if (event.seq >= end) return false
    if (event.type === "run_created" && event.run_id === runId) return true
  }
  return false
}

/** The errors after which it is certain that nothing was decided. */
const REFUSALS = [
  "run_active",
  "idempotency_conflict",
  "task_invalid",
  "agent_closed",
  "agent_exists",
  "team_refused",
  "limit_reached",
] as const

function isRefusal(error: unknown): boolean {
  return REFUSALS.some((code) => isAppError(error, code))
}

function notFound(runId: string): AppError {
  return new AppError("run_not_found", "There is no such run.", { run_id: runId })
}
