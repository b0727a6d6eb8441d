import type { Clock } from "@switchyard/core/time"
import { OPEN_STREAM, openStream, RUN } from "../tests/infra/cost.ts"
import { missing, synthesise } from "../tests/infra/synth/synth.ts"
import { createCallCounter } from "./counted.ts"
import { words } from "./long-session.ts"
import type { Line, NotMeasured, Question } from "./measure.ts"
import { newStage, signal } from "./stage.ts"

const HOUR_MS = 3600_000
/** Time after which a deployed stream ends and its reader reconnects. */
const STREAM_MS = 4 * 60_000

export const idleStream: Question = {
  asks: "What does an hour of a stream cost in which nothing happens, deployed? A tab of the studio that is looked at has one.",
  async answer() {
    const reads = await readsOfAnHour()
    const busyReads = await readsOfAnHour((RUN.seconds / RUN.writes) * 1000)
    const counted: Line[] = [
      { what: "answers", value: HOUR_MS / STREAM_MS, unit: "times", target: atMost(OPEN_STREAM.answers) },
      { what: "requests to the table", value: reads, unit: "times", target: atMost(OPEN_STREAM.reads) },
      { what: "the same during a run", value: busyReads, unit: "times", target: atMost(OPEN_STREAM.busyReads) },
    ]
    return [...counted, ...(await billed())]
  },
}

const atMost = (atMost: number) => ({ of: "value", atMost }) as const

/**
 * Counts the reads of an hour, with a clock that jumps to the end of each wait. Appends a batch every `batchEveryMs`.
 */
async function readsOfAnHour(batchEveryMs = Number.POSITIVE_INFINITY): Promise<number> {
  let now = Date.now()
  let head = 0
  let nextAt = now + batchEveryMs
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    async sleep(ms) {
      now += ms
      for (; nextAt <= now; nextAt += batchEveryMs) await append()
    },
  }
  const counter = createCallCounter()
  await using stage = await newStage({ clock, around: counter.around })
  const name = stage.newId("ws")
  async function append(): Promise<void> {
    const batch = { batchId: stage.newId("bat"), writer: "bench", at: now, events: [words(1)] }
    await stage.log.append(name, head++, batch, { artifacts: "artifacts/", signal })
  }
  await append()
  counter.take()
  for (let answer = 0; answer < HOUR_MS / STREAM_MS; answer++) {
    const ends = now + STREAM_MS
    const over = new AbortController()
    for await (const _ of stage.log.tail(name, head, { signal: over.signal })) if (now >= ends) over.abort()
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
