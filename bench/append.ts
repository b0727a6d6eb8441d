import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { encodeBatch } from "@switchyard/core/log/batch"
import { createWakeups } from "@switchyard/core/log/notifier"
import { words } from "./long-session.ts"
import { type Comparison, compared, median, percentile, type Question, sideBySide, timed } from "./measure.ts"
import { newStage, type Stage, signal } from "./stage.ts"

const APPENDS = 400
const MANY = 100
const READER_ROUNDS = 5
const READER_APPENDS = 40

export const append: Question = {
  asks: "How long does an append take, and how soon does a reader see it?",
  async answer() {
    await using stage = await newStage()
    using bare = bareDatabase(stage.directory)
    const appends = (events: number) => () => times(APPENDS, appender(stage, events))
    const inserts = async (events: number) => {
      const insert = await bare.inserter(events)
      return () => times(APPENDS, insert)
    }
    const insertOne = await inserts(1)
    const insertMany = await inserts(MANY)
    const perSecond = (ms: number[]) => (MANY * APPENDS * 1000) / ms.reduce((sum, each) => sum + each, 0)
    const to = "node:sqlite insert of the same bytes"
    return [
      compared("append of one event, median", "ms", to, await both(appends(1), insertOne, median)),
      compared("append of one event, p99", "ms", to, await both(appends(1), insertOne, (ms) => percentile(ms, 99))),
      compared("appends of 100 events", "events/s", to, await both(appends(MANY), insertMany, perSecond)),
      compared("append to reader, woken, median", "ms", "polled every 25 ms", await readerDelays(), {
        of: "ratio",
        atMost: 0.5,
      }),
    ]
  },
}

function both(
  subject: () => Promise<number[]>,
  baseline: () => Promise<number[]>,
  figure: (ms: number[]) => number,
): Promise<Comparison> {
  const once = (run: () => Promise<number[]>) => async () => figure(await run())
  return sideBySide(once(subject), once(baseline))
}

async function times(count: number, work: (index: number) => unknown): Promise<number[]> {
  const all: number[] = []
  for (let index = 0; index < count; index++) all.push(await timed(() => work(index)))
  return all
}

/** Returns a function that appends a batch to a log, a new one by default. */
function appender({ log, newId }: Stage, events: number, name: string = newId("ws")) {
  let head = 0
  return async () => {
    const placed = await log.append(name, head, batchOf(newId("bat"), events), { artifacts: "artifacts/", signal })
    head = placed?.lastSeq ?? Number.NaN
  }
}

/**
 * Opens a database without the log's guarantees, as a baseline: the same file settings, one statement, a row per batch.
 */
function bareDatabase(directory: string) {
  const db = new DatabaseSync(join(directory, "bare.sqlite"))
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
  db.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, value TEXT NOT NULL, bytes BLOB) STRICT")
  const insert = db.prepare("INSERT INTO rows (value, bytes) VALUES (?, ?)")
  return {
    async inserter(events: number) {
      const { value, bytes } = await encodeBatch(batchOf("bat_0123456789abcdefghijklmnop", events))
      const text = JSON.stringify(value)
      return () => insert.run(text, bytes ?? null)
    },
    [Symbol.dispose]: () => db.close(),
  }
}

function batchOf(batchId: string, events: number) {
  return { batchId, writer: "bench", at: Date.now(), events: Array.from({ length: events }, () => words(1)) }
}

async function readerDelays(): Promise<Comparison> {
  await using woken = await newStage({ wakeups: createWakeups() })
  await using polling = await newStage()
  const delay = (stage: Stage) => async () => median(await delays(stage))
  return await sideBySide(delay(woken), delay(polling), { rounds: READER_ROUNDS })
}

/**
 * Returns the milliseconds from the call of an append until a reader has the event. The pauses between appends are
 * random, so that no poll can match them.
 */
async function delays(stage: Stage): Promise<number[]> {
  const name = stage.newId("ws")
  const appendOne = appender(stage, 1, name)
  const left = new AbortController()
  const events = stage.log.tail(name, 0, { signal: left.signal })
  const all: number[] = []
  for (let index = 0; index < READER_APPENDS; index++) {
    const next = events.next()
    await stage.clock.sleep(Math.random() * 50, { signal })
    all.push(await timed(() => Promise.all([next, appendOne()])))
  }
  left.abort()
  await events.return(undefined)
  return all
}
