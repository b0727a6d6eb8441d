import * as z from "zod"
import type { DueList } from "../../kernel/due.ts"
import { openSessionLog, type SessionLog, type SessionLogDeps } from "../../kernel/session-log.ts"
import { type Launcher, START_WITHIN_MS } from "../../work/runs/launcher.ts"
import { runOf } from "../../work/runs/state.ts"
import { waitsForBudget, wakeForBudget } from "../../work/runs/waking.ts"

const WaitingRun = z.object({ sid: z.string(), runId: z.string() })
type WaitingRun = z.infer<typeof WaitingRun>

export interface WaitingRunsDeps extends SessionLogDeps {
  due: DueList
  launcher: Pick<Launcher, "start">
}

/** Maximum time that a run remains in the list. It is longer than any month, so the run has continued by then. */
const EXPIRES_AFTER_MS = 40 * 86_400_000

/**
 * Lists the runs that wait for their owners' budgets. The list is only a hint, because the sessions' logs are
 * authoritative.
 */
export function createWaitingRuns(deps: WaitingRunsDeps) {
  const { records, due, clock } = deps

  /** Wakes and launches a run if it is still waiting. A run is woken only once, even if this is called concurrently. */
  async function wake({ sid, runId }: WaitingRun, options: { signal: AbortSignal }): Promise<void> {
    const session = await openSessionLog(deps, sid, options)
    const parked = runOf(session.state, runId)
    if (!parked || !waitsForBudget(parked)) return
    // Add the hint first, so that the sweep launches the run even if this process dies right after appending the event.
    await due.add({ kind: "run", sid, run_id: runId }, clock.now() + START_WITHIN_MS, options)
    await session.decide(wakeForBudget(parked), options)
    await launchWoken(deps, session, { sid, runId }, options)
  }

  return {
    async list(owner: string, run: WaitingRun, options: { signal: AbortSignal }): Promise<void> {
      const expiresAt = Math.ceil((clock.now() + EXPIRES_AFTER_MS) / 1000)
      await records.put({ partition: partitionOf(owner), sort: run.runId }, { value: run }, { expiresAt, ...options })
    },
    wake,
    async wakeAll(owner: string, options: { signal: AbortSignal }): Promise<void> {
      for await (const { key, value, version } of records.range(partitionOf(owner), options)) {
        await wake(WaitingRun.parse(value), options)
        // Remove only this version of the entry. If the budget was lowered again, the run may already be waiting again.
        await records.remove(key, { ifVersion: version, ...options })
      }
    },
  }
}

/** Launches a woken run, unless it has already started or ended. */
export async function launchWoken(
  { launcher }: Pick<WaitingRunsDeps, "launcher">,
  { state }: Pick<SessionLog, "state">,
  { sid, runId }: WaitingRun,
  options: { signal: AbortSignal },
): Promise<void> {
  const run = runOf(state, runId)
  if (run?.status !== "queued") return
  await launcher.start({ sid, runId, expectedGeneration: run.generation, kind: run.kind }, options)
}

function partitionOf(owner: string): string {
  return `budget-waits/${owner}`
}
