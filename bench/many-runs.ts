import { terminalsNewestFirst } from "@switchyard/core/agents/terminals/terminal-index"
import type { NewEvent } from "@switchyard/core/events"
import { snapshotKey } from "@switchyard/core/kernel/keys"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { forgottenRuns } from "@switchyard/core/work/runs/ended-runs"
import { type CallCounter, createCallCounter } from "./counted.ts"
import { compared, median, type Question, sideBySide, timed } from "./measure.ts"
import { liveSession, newStage, SID, type Stage, signal } from "./stage.ts"

const RUNS = 100_000
const FEW_RUNS = 1000
const RUNS_A_BATCH = 100
const PAGE = 20

export const manyRuns: Question = {
  asks: `What does a session of ${RUNS.toLocaleString("en")} ended runs cost?`,
  async answer() {
    const counter = createCallCounter()
    await using long = await newStage({ around: counter.around })
    await using short = await newStage()
    await endedRuns(long, RUNS)
    await endedRuns(short, FEW_RUNS)

    const snapshot = await long.records.get(snapshotKey(SID))
    const decision = await countedReads(long, counter, decide)
    const page = await countedReads(long, counter, listNewest)
    const terminal = await countedReads(long, counter, openNewestTerminal)
    const decided = await sideBySide(
      () => medianOf(long, decide),
      () => medianOf(short, decide),
      { rounds: 5 },
    )
    const opened = await sideBySide(
      () => medianOf(long, openNewestTerminal),
      () => medianOf(short, openNewestTerminal),
      { rounds: 5 },
    )
    const folded = await sideBySide(
      () => foldAnew(long, RUNS),
      () => foldAnew(short, FEW_RUNS),
      { rounds: 1 },
    )
    const few = `in one of ${FEW_RUNS.toLocaleString("en")}`
    return [
      {
        what: "its snapshot",
        value: snapshot?.bytes?.length ?? Number.NaN,
        unit: "bytes",
        target: { of: "value", atMost: 64 * 1024 },
      },
      { what: "reads of a decision", value: decision, unit: "times", target: { of: "value", atMost: 2 } },
      { what: `reads of the newest ${PAGE} runs`, value: page, unit: "times", target: { of: "value", atMost: 5 } },
      { what: "reads of its newest terminal", value: terminal, unit: "times", target: { of: "value", atMost: 5 } },
      compared("a decision, session opened for it", "ms", few, decided, { of: "ratio", atMost: 3 }),
      compared("its newest terminal", "ms", few, opened, { of: "value", atMost: 100 }),
      compared("folding it anew, for each run", "ms", few, folded, { of: "ratio", atMost: 2 }),
    ]
  },
}

/** Creates a session with this many ended runs of an agent, each with a closed terminal. */
export async function endedRuns(stage: Stage, runs: number): Promise<void> {
  const session = await liveSession(stage)
  for (let first = 0; first < runs; first += RUNS_A_BATCH) {
    const batch = Array.from({ length: Math.min(RUNS_A_BATCH, runs - first) }, (_, i) => runEvents(first + i))
    await session.decide(() => batch.flat(), { signal })
  }
}

/** Counts the requests of a reader that opens the session from its records. */
export async function countedReads(
  stage: Stage,
  counter: CallCounter,
  read: (stage: Stage) => Promise<unknown>,
): Promise<number> {
  counter.take()
  await read(stage)
  return counter.take().reads
}

export async function decide(stage: Stage): Promise<void> {
  const session = await openSessionLog(stage, SID, { signal })
  await session.decide(() => [{ type: "user_message", content: "Go on.", source: "api" }], { signal })
}

/** Returns the IDs of the session's newest runs: those in its state, then those that the state has forgotten. */
export async function listNewest(stage: Stage): Promise<string[]> {
  const { state } = await openSessionLog(stage, SID, { signal })
  const ids = Object.keys(state.runs.byId).toSorted().reverse()
  for await (const { runId } of forgottenRuns(stage.records, { sid: SID, state }, { signal })) {
    ids.push(runId)
    if (ids.length >= Object.keys(state.runs.byId).length + PAGE) break
  }
  return ids
}

export async function openNewestTerminal(stage: Stage): Promise<string | undefined> {
  const { state, history } = await openSessionLog(stage, SID, { signal })
  const session = { sid: SID, sessionId: "default", state, history, touchedAt: 0 }
  for await (const { view } of terminalsNewestFirst(stage, session, { signal })) return view.pty
  return undefined
}

/** Returns the milliseconds per run to fold the log without a snapshot. */
async function foldAnew(stage: Stage, runs: number): Promise<number> {
  await stage.records.remove(snapshotKey(SID), { signal })
  return (await timed(() => openSessionLog(stage, SID, { signal }))) / runs
}

async function medianOf(stage: Stage, task: (stage: Stage) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let time = 0; time < 50; time++) times.push(await timed(() => task(stage)))
  return median(times)
}

function runEvents(index: number): NewEvent[] {
  const run_id = `run_${String(index).padStart(26, "0")}`
  const run = { run_id, agent_id: "main" }
  const pty = `pty_${String(index).padStart(26, "0")}`
  const input = { sha256: "0".repeat(64), size_bytes: 40_000, key: "input" }
  return [
    { type: "run_created", ...run, kind: "agent", model: "claude-code/default", title: `Task ${index}`, input },
    { type: "run_claimed", ...run, generation: 1, executor: "bench" },
    { type: "terminal_opened", ...run, pty, kind: "driver", title: "Claude Code", rows: 24, cols: 80 },
    { type: "terminal_closed", ...run, pty, exit_code: 0, signal: null, recording: null },
    { type: "run_completed", ...run, duration_ms: 60_000, workspace_version: 1 },
  ]
}
