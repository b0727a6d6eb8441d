import { randomUUID } from "node:crypto"
import type { SessionLog } from "../../kernel/session-log.ts"
import type { SessionState } from "../../state.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import type { ReleaseCall, RequireBudget, ReserveBudget } from "../../work/runs/create-run-context.ts"
import type { CallSize } from "../../work/runs/run-context.ts"
import type { RunIndex } from "../../work/runs/run-index.ts"
import { costOf } from "../../work/usage/cost.ts"
import { NO_TOKENS } from "../../work/usage/counts.ts"
import type { Ledger } from "../../work/usage/ledger.ts"
import { storedBudget } from "./owner-budget.ts"
import { type CallUnderWay, createReservations } from "./reservations.ts"
import { BudgetName, type BudgetStatus } from "./schema.ts"
import { budgetStatus } from "./status.ts"
import { workBudgetStatus } from "./work-status.ts"

interface Deps {
  records: Records
  ledger: Ledger
  index: Pick<RunIndex, "get">
  clock: Clock
  /** Throws if a budget is used up. */
  requireRoom: RequireBudget
}

/** Time after which calls of dead processes no longer count. It is longer than any call with all of its retries. */
const EXPIRES_AFTER_MS = 15 * 60_000
const POLL_MS = 250

const nothingReserved: ReleaseCall = async () => {}

/**
 * Reserves a part of the budgets of a run, its session and its owner for one model call. The call may start if usage
 * and open reservations don't use up any of the budgets. A budget is therefore exceeded by one call at most, as far as
 * the sizes of calls are known in advance. If only calls in progress use up a budget, waits for them to end.
 */
export function createReserveCall(deps: Deps): ReserveBudget {
  const { records, ledger, index, clock } = deps
  const reservations = createReservations(deps)

  return async (session, run, size, options) => {
    for (;;) {
      const owner = (await index.get(run.runId, options))?.owner
      // Read the reservations before the usage. If a call ends in between, its owner's record changes, and this loop
      // retries.
      const seen = owner === undefined ? undefined : await reservations.read(owner, options)
      await deps.requireRoom(session, run, options)
      if (owner === undefined || seen === undefined) return nothingReserved
      const { budget } = await storedBudget(records, owner, options)
      const isLimited = Object.values(budget).some((limit) => limit !== null)
      if (!isLimited && !hasLimit(session.state, run.runId)) return nothingReserved
      const status = isLimited ? await budgetStatus(deps, owner, budget, options) : undefined
      const id = randomUUID()
      const call = { id, sid: session.sid, run_id: run.runId, ...most(size(), clock) }
      const fits = !(status && isTaken(status, seen.calls)) && !isTakenInSession(session, run.runId, seen.calls)
      if (fits && (await reservations.add(owner, seen, call, options))) return release(owner, id, session, run.runId)
      await clock.sleep(fits ? POLL_MS * Math.random() : POLL_MS, options)
    }
  }

  /**
   * Returns the function that releases a reservation. It counts the call's usage before it removes the reservation, so
   * that budgets always include one of them.
   */
  function release(owner: string, id: string, session: SessionLog, runId: string): ReleaseCall {
    return async (options) => {
      await ledger.update(session, runId, options)
      await reservations.remove(owner, id, options)
    }
  }
}

function hasLimit(state: SessionState, runId: string): boolean {
  return [workBudgetStatus(state), workBudgetStatus(state, runId)].some(
    ({ usd, tokens }) => usd !== null || tokens !== null,
  )
}

function isTaken(status: BudgetStatus, calls: CallUnderWay[]): boolean {
  const reserved = sum(calls)
  return BudgetName.options.some((name) => {
    const used = name.startsWith("day") ? status.day : status.month
    return isFull(status[name], name.endsWith("usd") ? "usd" : "tokens", used, reserved)
  })
}

function isTakenInSession({ sid, state }: SessionLog, runId: string, calls: CallUnderWay[]): boolean {
  const inSession = calls.filter((call) => call.sid === sid)
  const inRun = inSession.filter((call) => call.run_id === runId)
  const scopes = [
    { status: workBudgetStatus(state), reserved: sum(inSession) },
    { status: workBudgetStatus(state, runId), reserved: sum(inRun) },
  ]
  return scopes.some(({ status, reserved }) =>
    (["usd", "tokens"] as const).some((unit) => isFull(status[unit], unit, status.used, reserved)),
  )
}

interface Amount {
  usd: number | null
  tokens: number
}

/** True if usage and reservations together use up the limit. False if nothing is reserved in this unit. */
function isFull(limit: number | null, unit: "usd" | "tokens", used: Amount, reserved: Amount): boolean {
  const taken = unit === "usd" ? (reserved.usd ?? 0) : reserved.tokens
  if (limit === null || taken === 0) return false
  return (unit === "usd" ? (used.usd ?? 0) : used.tokens) + taken >= limit
}

function sum(calls: CallUnderWay[]): Amount {
  return {
    usd: calls.reduce((all, { usd }) => all + usd, 0),
    tokens: calls.reduce((all, { tokens }) => all + tokens, 0),
  }
}

/**
 * Returns the maximum usage of a call. For a model without a price, no dollars are reserved, because its usage won't
 * count in dollars either.
 */
function most({ model, input, output }: CallSize, clock: Clock): Omit<CallUnderWay, "id" | "sid" | "run_id"> {
  const [provider = "", ...name] = model.split("/")
  const { usd } = costOf({
    ...{ day: "", account: null, provider, model: name.join("/") },
    tokens: NO_TOKENS,
    estimated: { input, output },
    ...{ reports: 1, unreported: 0, searches: 0, reported_cost: null },
    machine: { container_ms: 0, function_ms: 0 },
  })
  return { usd: usd ?? 0, tokens: input + output, expires_at: clock.now() + EXPIRES_AFTER_MS }
}
