import type { Clock } from "@switchyard/core/time"
import { createRun } from "@switchyard/core/work/runs/admission"
import { claimRun } from "@switchyard/core/work/runs/rules"
import { createRunWriter } from "@switchyard/core/work/runs/run-writer"
import { type Counts, createCallCounter } from "./counted.ts"
import type { Question } from "./measure.ts"
import { liveSession, newStage, type Stage, signal } from "./stage.ts"

const TOKENS = 1000
const TOKENS_A_SECOND = 60

export const writeUnits: Question = {
  asks: "What do 1,000 tokens at 60 a second cost in DynamoDB's write units?",
  async answer() {
    const gathered = await countWrites()
    const single = await countWrites({ gather: false })
    const line = (what: string, unit: "units" | "times", value: number, baseline: number) => {
      const target = { of: "ratio" as const, atMost: 0.2 }
      return {
        what,
        unit,
        value,
        baseline: { what: "one record a token", value: baseline },
        ratio: value / baseline,
        target,
      }
    }
    return [
      line("write units of 1,000 tokens", "units", gathered.writeUnits, single.writeUnits),
      line("puts of 1,000 tokens", "times", gathered.puts, single.puts),
    ]
  },
}

/**
 * Counts the writes of an executor while a model answers, including the session's snapshots. With `gather: false`, each
 * token is written as its own record.
 */
export async function countWrites({ gather = true } = {}): Promise<Counts> {
  const time = createVirtualTime()
  const counter = createCallCounter()
  await using stage = await newStage({ clock: time.clock, around: counter.around })
  const { session, writer } = await openWriter(stage)
  const speaker = { node: "coder" as const, iteration: 1, namespace: [] }
  counter.take()
  for (let token = 0; token < TOKENS; token++) {
    writer.emitText(speaker, `word${token % 10} `)
    if (!gather) await writer.write([])
    time.pass(1000 / TOKENS_A_SECOND)
    // A writer that wakes up writes within this turn of the event loop, so the session reads its batch before the next
    // token.
    await new Promise(setImmediate)
    await session.catchUp({ signal })
  }
  await writer.write([])
  return counter.take()
}

async function openWriter(stage: Stage) {
  const session = await liveSession(stage)
  const runId = stage.newId("run")
  const input = { user_prompt: "Make a thing.", recursion_limit: 100 }
  const run = { run_id: runId, agent_id: "main", kind: "workflow" as const, model: "scripted/bench", input }
  await session.decide(createRun(run), { signal })
  await session.decide(claimRun(runId, "bench", 0), { signal })
  const onFailure = (error: unknown) => {
    throw error
  }
  const writer = createRunWriter({ session, clock: stage.clock, runId, generation: 1, signal, onFailure })
  return { session, writer }
}

/** Creates a clock that advances only through `pass`. */
function createVirtualTime() {
  const sleepers: { until: number; wake: () => void }[] = []
  let elapsed = 0
  const clock: Clock = {
    now: () => Date.UTC(2026, 0, 1) + elapsed,
    monotonic: () => elapsed,
    sleep: (ms) => new Promise((wake) => sleepers.push({ until: elapsed + ms, wake })),
  }
  return {
    clock,
    pass(ms: number) {
      elapsed += ms
      for (const sleeper of sleepers) if (sleeper.until <= elapsed) sleeper.wake()
    },
  }
}
