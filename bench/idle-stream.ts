import type { Clock } from "@switchyard/core/time"
import { OPEN_STREAM, openStream } from "../tests/infra/cost.ts"
import { missing, synthesise } from "../tests/infra/synth/synth.ts"
import { createCallCounter } from "./counted.ts"
import type { Line, NotMeasured, Question } from "./measure.ts"
import { liveSession, newStage, SID } from "./stage.ts"

const HOUR_MS = 3600_000
/** A deployed stream ends after this, and its reader comes back. */
const STREAM_MS = 4 * 60_000

export const idleStream: Question = {
  asks: "What does an hour of a stream cost in which nothing happens, deployed? A tab of the studio that is looked at has one.",
  async answer() {
    const reads = await readsOfAnHour()
    const counted: Line[] = [
      { what: "answers", value: HOUR_MS / STREAM_MS, unit: "times", target: atMost(OPEN_STREAM.answers) },
      { what: "requests to the table", value: reads, unit: "times", target: atMost(OPEN_STREAM.reads) },
    ]
    return [...counted, ...(await billed())]
  },
}

const atMost = (atMost: number) => ({ of: "value", atMost }) as const

/** By a clock that jumps to whatever is waited for. */
async function readsOfAnHour(): Promise<number> {
  let now = Date.now()
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    async sleep(ms) {
      now += ms
    },
  }
  const counter = createCallCounter()
  await using stage = await newStage({ clock, around: counter.around })
  const { state } = await liveSession(stage)
  counter.take()
  for (let answer = 0; answer < HOUR_MS / STREAM_MS; answer++) {
    const ends = now + STREAM_MS
    const over = new AbortController()
    // Between two heartbeats only time passes.
    for await (const _ of stage.log.tail(`s/${SID}/log`, state.head, { signal: over.signal })) {
      if (now >= ends) over.abort()
    }
  }
  return counter.take().reads
}

async function billed(): Promise<(Line | NotMeasured)[]> {
  if (missing) return [{ what: "what is billed", reason: missing }]
  const { gbSeconds, dollars } = openStream(await synthesise("prod", { bundle: false }))
  return [
    { what: "memory times time", value: gbSeconds, unit: "GB-s", target: atMost(900) },
    { what: "all of it together", value: dollars, unit: "dollars", target: atMost(0.015) },
  ]
}
