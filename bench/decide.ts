import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { type Counts, createCallCounter } from "./counted.ts"
import { longSession, words } from "./long-session.ts"
import { compared, median, type Question, sideBySide, timed } from "./measure.ts"
import { newStage, SID, type Stage, signal } from "./stage.ts"

const EVENTS = 50_000

/**
 * Maximum records that a decision reads: a snapshot, and up to 200 batches, because every 200 events have a snapshot.
 */
export const MOST_RECORDS = 201

/**
 * More than the 200 events between two snapshots, so that decisions happen at every distance from the last snapshot.
 */
const DECISIONS = 250

export const decide: Question = {
  asks: `What does a decision cost in a session of ${EVENTS.toLocaleString("en")} events?`,
  async answer() {
    await using long = await newStage()
    await using short = await newStage()
    await longSession(long, EVENTS)
    await longSession(short, 1)
    const time = await sideBySide(
      () => decisions(long),
      () => decisions(short),
      { rounds: 5 },
    )
    const { reads, found } = await mostReads(EVENTS)
    return [
      { what: "reads of a decision, the most of 250", value: reads, unit: "times", target: { of: "value", atMost: 2 } },
      {
        what: "records that it reads, the most of 250",
        value: found,
        unit: "times",
        target: { of: "value", atMost: MOST_RECORDS },
      },
      compared("a decision, session opened for it", "ms", "in a session of one event", time),
    ]
  },
}

/** Returns the most that any of the decisions read. Each decision opens the session from its records. */
export async function mostReads(events: number): Promise<Pick<Counts, "reads" | "found">> {
  const counter = createCallCounter()
  await using stage = await newStage({ around: counter.around })
  await longSession(stage, events)
  const all: Counts[] = []
  for (let decision = 0; decision < DECISIONS; decision++) {
    counter.take()
    await decideAnew(stage)
    all.push(counter.take())
  }
  return { reads: Math.max(...all.map(({ reads }) => reads)), found: Math.max(...all.map(({ found }) => found)) }
}

async function decisions(stage: Stage): Promise<number> {
  const all: number[] = []
  for (let decision = 0; decision < DECISIONS; decision++) all.push(await timed(() => decideAnew(stage)))
  return median(all)
}

async function decideAnew(stage: Stage): Promise<void> {
  const session = await openSessionLog(stage, SID, { signal })
  await session.decide(() => [words(1)], { signal })
}
