import type { AgentInput } from "@switchyard/core/agents/conversations/schema"
import { type Checkpoint, condensed, readCheckpoint, summaryOf } from "@switchyard/core/agents/hand-off/checkpoint"
import { switchEvent } from "@switchyard/core/agents/hand-off/limit-state"
import type { LogEvent } from "@switchyard/core/events"
import type { RunContext } from "@switchyard/core/work/runs/run-context"
import { runOf } from "@switchyard/core/work/runs/state"
import { type EarlierRun, isSameAccount } from "../agents/resume-point.ts"

type Context = Pick<RunContext<AgentInput>, "runId" | "input" | "state" | "history" | "record">

/** Reads the work of these runs and of the current run, including the events appended by this executor. */
export function readAllWork(context: Context, runs: EarlierRun[]): Promise<Checkpoint> {
  const { runId, input, history } = context
  async function* events(): AsyncGenerator<LogEvent> {
    yield* eventsOf(context, runs)
    yield* history()
  }
  return readCheckpoint({ task: input.task, runId }, events())
}

/**
 * Hands the work of earlier runs over to the current run's program, whose session doesn't contain that work. Logs the
 * hand-over once. Returns a summary for the program, or undefined if there are no such runs.
 */
export async function takeOverEarlierWork(context: Context, unknown: EarlierRun[]): Promise<string | undefined> {
  const last = unknown.at(-1)
  if (!last) return undefined
  const work = await readCheckpoint(undefined, eventsOf(context, unknown))
  if (!(await isRecorded(context))) {
    const { runId, input, state } = context
    const ids = { run_id: runId, agent_id: runOf(state(), runId)?.agentId ?? "" }
    const isSwitch = !isSameAccount(last.program, input)
    const events = [condensed(work), ...(isSwitch ? [switchEvent(last.program, input, reasonOf(last))] : [])]
    await context.record(events.map((event) => ({ ...ids, ...event })))
  }
  return summaryOf(work)
}

function reasonOf({ isHandedOver }: EarlierRun): string {
  return isHandedOver ? "Only the previous task was handed over." : "A person chose it."
}

/** True if an earlier executor of the run has logged the hand-over. */
async function isRecorded({ history }: Context): Promise<boolean> {
  for await (const { type } of history()) if (type === "context_condensed") return true
  return false
}

async function* eventsOf({ history }: Context, runs: EarlierRun[]): AsyncGenerator<LogEvent> {
  for (const run of runs) yield* history(run)
}
