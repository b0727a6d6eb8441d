import { AppError } from "../../errors.ts"
import type { EventOf, NewEvent } from "../../events.ts"
import { commitChanges } from "../../files/workspaces/commit.ts"
import { logName } from "../../kernel/keys.ts"
import type { SessionLog, SessionLogDeps } from "../../kernel/session-log.ts"
import { readField } from "../../log/payload.ts"
import type { SessionState } from "../../state.ts"
import type { Blobs } from "../../storage/blobs.ts"
import { type InputOf, type RunKind, runKinds } from "./kinds.ts"
import type { Liveness } from "./liveness.ts"
import { appendAgentEvents, appendAsExecutor, decideAsExecutor } from "./rules.ts"
import { type CallSize, type RunContext, RunHandOver } from "./run-context.ts"
import type { CallerKey } from "./run-secrets.ts"
import { createRunWriter } from "./run-writer.ts"
import { endsRun } from "./schema.ts"

export interface RunContextDeps extends Pick<SessionLogDeps, "log" | "clock"> {
  blobs: Blobs
  /** Reads the key that the caller sent with a run. Absent if the account to use comes with the launch. */
  callerKey?: CallerKey
  /** Absent if the owner's usage can't be read. */
  requireBudget?: RequireBudget
  /** Absent if calls in progress don't count toward budgets. */
  reserveBudget?: ReserveBudget
}

/** Adds up a run's usage. Throws `RunParked` if the budget of the run, its session or its owner is used up. */
export type RequireBudget = (
  session: SessionLog,
  run: { runId: string; generation: number },
  options: { signal: AbortSignal },
) => Promise<void>

/** Releases a call's reservation. Must be called after the call's usage is in the log. */
export type ReleaseCall = (options: { signal: AbortSignal }) => Promise<void>

/** Reserves room for a call in the budgets that `RequireBudget` checks. Throws the same errors as `RequireBudget`. */
export type ReserveBudget = (
  session: SessionLog,
  run: { runId: string; generation: number },
  size: () => CallSize,
  options: { signal: AbortSignal },
) => Promise<ReleaseCall>

/** A run that this executor claimed. */
export interface ClaimedRun {
  session: SessionLog
  sid: string
  runId: string
  generation: number
}

interface Execution<K extends RunKind> {
  kind: K
  liveness: Liveness
  /** Aborts when the run is cancelled or taken over, or when its executor must stop. */
  signal: AbortSignal
  /** Milliseconds left for this executor. Unlimited if absent. */
  remainingMs?: () => number
  /** Receives the error if an append is refused. From then on, the run doesn't belong to this executor. */
  onFailure: (reason: unknown) => void
}

const STEP_NEEDS_MS = 5 * 60_000
/** Time after the signal aborts during which the end of a turn can still be recorded. */
const RECORD_WITHIN_MS = 30_000

/** Creates the context for a run's work. Reads the run's input and the caller's key. */
export async function createRunContext<K extends RunKind>(
  { log, blobs, clock, callerKey, requireBudget, reserveBudget }: RunContextDeps,
  { session, sid, runId, generation }: ClaimedRun,
  { kind, liveness, signal, remainingMs, onFailure }: Execution<K>,
): Promise<Omit<RunContext<InputOf<K>>, "warn" | "conclude">> {
  const firstSeq = session.state.runs.byId[runId]?.firstSeq ?? 1
  async function* history(of = { runId, firstSeq }) {
    for await (const event of log.read(logName(sid), of.firstSeq - 1, { signal })) {
      liveness.progressed()
      if (event.run_id !== of.runId) continue
      yield event
      if (endsRun(event)) return
    }
  }
  const created = await createdEvent(history())
  const recording = abortedAfter(signal, RECORD_WITHIN_MS)
  const writer = createRunWriter({ session, clock, runId, generation, signal, onFailure })
  return {
    async write(events) {
      await writer.write(events)
      liveness.progressed()
    },
    emitText: writer.emitText,
    emitFileText: writer.emitFileText,
    emitReasoning: writer.emitReasoning,
    awaitExternal: liveness.awaitExternal,
    sid,
    signal,
    runId,
    model: created.model,
    input: await readField(blobs, created.input, runKinds[kind].input, { signal }),
    apiKey: await callerKey?.(runId, { signal }),
    state: () => session.state,
    catchUp: () => session.catchUp({ signal }),
    history,
    async record(events) {
      await session.decide(appendAgentEvents(runId, generation, events), { signal: recording })
      liveness.progressed()
    },
    async decide(rule) {
      await writer.write([])
      const decided = await session.decide(decideAsExecutor(runId, generation, rule), { signal })
      liveness.progressed()
      return decided
    },
    fenced(rule) {
      return (state) => {
        const refused = appendAsExecutor(runId, generation, [])(state)
        return refused instanceof AppError ? refused : rule(state)
      }
    },
    async commit(changes, step, { base, events: others = [], refusal } = {}) {
      await writer.write([])
      const guard = (events: NewEvent[]) => {
        const rule = appendAsExecutor(runId, generation, [...events, ...others])
        return (state: SessionState) => refusal?.(state) ?? rule(state)
      }
      await commitChanges({ blobs }, session, changes, { step, base, guard, signal })
      liveness.progressed()
    },
    async requireBudget() {
      await writer.write([])
      await requireBudget?.(session, { runId, generation }, { signal })
    },
    async reserveBudget(size) {
      await writer.write([])
      const run = { runId, generation }
      if (!reserveBudget) await requireBudget?.(session, run, { signal })
      // Reserving may take minutes, because it waits for other calls. This wait doesn't count as hanging.
      const release = await liveness.awaitExternal(async () => reserveBudget?.(session, run, size, { signal }))
      return async () => release?.({ signal: recording })
    },
    beforeStep() {
      signal.throwIfAborted()
      if ((remainingMs?.() ?? Number.POSITIVE_INFINITY) < STEP_NEEDS_MS) throw new RunHandOver()
    },
  }
}

/** Returns a signal that aborts `ms` after the given signal, so that work in progress has time to conclude. */
function abortedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController()
  const abort = () => AbortSignal.timeout(ms).addEventListener("abort", () => late.abort(signal.reason))
  if (signal.aborted) abort()
  else signal.addEventListener("abort", abort, { once: true })
  return late.signal
}

async function createdEvent(history: AsyncIterable<{ type: string }>): Promise<EventOf<"run_created">> {
  for await (const event of history) if (event.type === "run_created") return event as EventOf<"run_created">
  throw new AppError("internal_error", "The run has no run_created event.")
}
