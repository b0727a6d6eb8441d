import { createHash, randomUUID } from "node:crypto"
import { warmKey, warmTicket } from "@switchyard/core/agents/runner/warm-ticket"
import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import type { Tasks } from "./ecs.ts"
import { createWarmPool, type WarmGoal } from "./warm-pool.ts"

export interface WarmRunnersDeps {
  clock: Clock
  records: Records
  openTasks: () => Promise<Tasks>
  masterKey: Uint8Array
  report: (error: unknown) => void
}

/**
 * Starts and stops runners until the desired number is waiting. Concurrent workers are safe, and the next worker
 * finishes what an interrupted one began: a slot never has more than one task, even if the start is repeated.
 */
export async function keepWarm(
  { clock, records, openTasks, masterKey, report }: WarmRunnersDeps,
  goal: WarmGoal,
  options: { signal: AbortSignal },
): Promise<void> {
  const pool = createWarmPool({ records, clock })
  const tasks = await openTasks()
  const known = await pool.tasks(options)
  const gone = known.length > 0 ? await tasks.stoppedOf(known, options) : []
  const newTicket = () => warmTicket(masterKey, randomUUID())
  const { start, stop } = await pool.adjust(goal, { gone, newTicket }, options)
  for (const task of stop) await tasks.stop(task, "This runner is no longer needed.", options)

  for (const id of start) {
    const environment = {
      RUNNER_WARM: JSON.stringify(warmTicket(masterKey, id)),
      RUNNER_WARM_KEY: Buffer.from(warmKey(masterKey, id)).toString("base64"),
    }
    const { definition } = goal
    try {
      const started = await tasks.run(
        { token: tokenOf(definition, id), session: null, definition, environment },
        options,
      )
      if ("task" in started) await pool.note(id, started.task, options)
      else if (started.problem.kind === "spent") await pool.forget(id, options)
      // The next sweep tries again.
      else return
    } catch (error) {
      options.signal.throwIfAborted()
      return report(error)
    }
  }
}

function tokenOf(definition: string, id: string): string {
  return createHash("sha256")
    .update(JSON.stringify([definition, "warm", id]))
    .digest("hex")
}
