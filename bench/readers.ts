import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isWorkspacePath } from "@switchyard/core/files/workspaces/path"
import { createLog, type Log } from "@switchyard/core/log/log"
import { createWakeups } from "@switchyard/core/log/notifier"
import type { Records, StoredRecord } from "@switchyard/core/storage/records"
import { words } from "./long-session.ts"
import { compared, type Question, sideBySide } from "./measure.ts"
import { projectFiles } from "./project.ts"
import { newStage, type Stage, signal } from "./stage.ts"

const READERS = 20
const EVENTS = 100
const RANGES = 2000
const PATHS = 10_000
const ROUNDS = 9

export const readers: Question = {
  asks: "What does it cost the processor that many read one log, or that a workspace has many paths?",
  async answer() {
    const wakeups = createWakeups()
    await using stage = await newStage({ wakeups })
    using records = naiveRecords(stage)
    const alone = () => createLog({ ...stage, records, wakeups })
    const following = await sideBySide(
      () => follow(stage, () => stage.log),
      () => follow(stage, alone),
      { rounds: ROUNDS },
    )
    const ranges = await sideBySide(
      () => readEnds(stage, stage.records),
      () => readEnds(stage, records),
      { rounds: ROUNDS },
    )
    const paths = [...projectFiles(PATHS, 1)].map(({ path }) => path)
    const checked = await sideBySide(
      async () => cpuMs(() => paths.every(isWorkspacePath)),
      async () => cpuMs(() => paths.every(isPathEncoded)),
      { rounds: ROUNDS },
    )
    return [
      compared(`an event to ${READERS} readers`, "ms", "each reads by itself, statements prepared anew", following, {
        of: "ratio",
        atMost: 0.5,
      }),
      compared("a range of a log that finds one event", "ms", "statements prepared anew", ranges),
      compared(`checking ${PATHS.toLocaleString("en")} paths`, "ms", "a TextEncoder a segment", checked, {
        of: "ratio",
        atMost: 1,
      }),
    ]
  },
}

/** Returns the milliseconds of CPU time per event that all readers of a new log receive, including its append. */
async function follow(stage: Stage, logOf: () => Log): Promise<number> {
  const name = stage.newId("ws")
  const left = new AbortController()
  const tails = Array.from({ length: READERS }, () => logOf().tail(name, 0, { signal: left.signal }))
  const before = process.cpuUsage()
  for (let head = 0; head < EVENTS; head++) {
    const heard = tails.map((tail) => tail.next())
    const batch = { batchId: stage.newId("bat"), writer: "bench", at: Date.now(), events: [words(1)] }
    await stage.log.append(name, head, batch, { artifacts: "artifacts/", signal })
    await Promise.all(heard)
  }
  const used = spent(before)
  left.abort()
  await Promise.all(tails.map((tail) => tail.return(undefined)))
  return used / EVENTS
}

/** Returns the milliseconds of CPU time for a range that finds its only record. */
async function readEnds(stage: Stage, records: Records): Promise<number> {
  const partition = stage.newId("ws")
  await stage.records.put({ partition, sort: "1" }, { value: { text: "An event." } })
  const before = process.cpuUsage()
  for (let range = 0; range < RANGES; range++) for await (const _ of records.range(partition, { from: "1" }));
  return spent(before) / RANGES
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  return spent(before)
}

function spent(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Reads the same file with a statement prepared for each page, until a page is empty. */
function naiveRecords(stage: Stage): Records & Disposable {
  const db = new DatabaseSync(join(stage.directory, "records.sqlite"), { readOnly: true })
  return {
    ...stage.records,
    async *range(partition, { from = "" } = {}) {
      for (let after = from, compare = ">="; ; compare = ">") {
        const sql = `SELECT * FROM records WHERE partition = ? AND sort ${compare} ? ORDER BY sort LIMIT 1000`
        const rows = db.prepare(sql).all(partition, after) as unknown as Row[]
        if (rows.length === 0) return
        for (const row of rows) yield recordOf(row)
        after = rows.at(-1)?.sort ?? ""
      }
    },
    [Symbol.dispose]: () => db.close(),
  }
}

interface Row {
  partition: string
  sort: string
  version: number
  value: string
  bytes: Uint8Array | null
}

function recordOf({ partition, sort, version, value, bytes }: Row): StoredRecord {
  return { key: { partition, sort }, version, value: JSON.parse(value), ...(bytes && { bytes }) }
}

function isPathEncoded(path: string): boolean {
  const isShort = (text: string, limit: number) => new TextEncoder().encode(text).length <= limit
  return isWorkspacePath(path) && isShort(path, 1024) && path.split("/").every((segment) => isShort(segment, 255))
}
