import { isAppError } from "@switchyard/core/errors"
import { createLog, type Log } from "@switchyard/core/events/log"
import type { LogEvent, NewEvent } from "@switchyard/core/events/schema"
import { createWakeups, type Wakeups } from "@switchyard/core/events/wakeups"
import * as runRules from "@switchyard/core/runs/rules"
import { openSessionLog, type SessionLog } from "@switchyard/core/sessions/session-log"
import type { SessionState } from "@switchyard/core/sessions/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records, StoredRecord } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/stream"
import { createSimulatedRecords, type Faults, withUnreliableSnapshots } from "./records.ts"
import type { Process, Scheduler } from "./scheduler.ts"

/** What stands in for a part, to show that its absence would be noticed. */
export interface Variant {
  records?: (records: Records, scheduler: Scheduler) => Records
  log?: (log: Log, records: Records, scheduler: Scheduler) => Log
  rules?: Partial<typeof runRules>
}

/** What became of one attempt to append, as far as its writer was told. */
export interface Attempt {
  batchId: string
  events: NewEvent[]
  told: "won" | "lost" | "nothing"
  placed: LogEvent[]
}

/** A decision as its maker saw it: `tag` stands in the log if, and only if, it was made. */
export interface Decision {
  tag: string
  exclusive?: string
  told: "made" | "not made" | "nothing"
}

/** What a reader that began after `since` was given. */
export interface Reading {
  since: number
  events: LogEvent[]
}

export interface World {
  sid: string
  scheduler: Scheduler
  rules: typeof runRules
  attempts: Attempt[]
  decisions: Decision[]
  readings: Reading[]
  /** States as sessions folded them, whatever way they took. */
  states: SessionState[]
  /** Where readers may stop; unknown while somebody may still write. */
  finalHead: number | undefined
  /** Starts a process that may write. */
  act(name: string, mortality: number, body: (process: Process) => Promise<void>): void
  /** How many of those are neither done nor dead. */
  acting(): number
  /** Starts a process that only reads. */
  watch(name: string, body: (process: Process) => Promise<void>): void
  connect(process: Process): Connection
  stored(partition: string): StoredRecord[]
}

/** What a process has: its own way to the store, and its own luck with it. */
export interface Connection {
  log: Log
  clock: Clock
  open(signal?: AbortSignal): Promise<SessionLog>
}

const noBlobs = new Proxy({} as Blobs, {
  get: () => () => {
    throw new Error("Nothing here is large enough for a blob.")
  },
})

export function createWorld(scheduler: Scheduler, faults: Faults, variant: Variant = {}): World {
  const store = createSimulatedRecords(scheduler, faults)
  const snapshots: StoredRecord[] = []
  const machines: Wakeups[] = [createWakeups(), createWakeups()]
  const attempts: Attempt[] = []
  const states: SessionState[] = []
  const acting = new Set<Process>()
  const sid = "session"

  function connect(process: Process): Connection {
    const clock: Clock = {
      now: scheduler.now,
      monotonic: scheduler.now,
      sleep: (ms, { signal }) => scheduler.sleep(process, ms, { signal }),
    }
    const direct = variant.records?.(store.connect(process), scheduler) ?? store.connect(process)
    const records = withUnreliableSnapshots(direct, scheduler, snapshots)
    const wakeups = machines[Math.floor(scheduler.random() * 3)]
    const real = createLog({ records, blobs: noBlobs, clock, wakeups })
    const log = witnessed(variant.log?.(real, records, scheduler) ?? real, attempts)
    let ids = 0
    const deps = {
      log,
      records,
      clock,
      newId: (prefix: string) => `${prefix}_${process.name}_${ids++}`,
      writer: process.name,
    }
    const open = async (signal = new AbortController().signal) => {
      const session = await insist(() => openSessionLog(deps, sid, { signal }))
      return watched(session, states)
    }
    return { log, clock, open }
  }

  return {
    sid,
    scheduler,
    rules: { ...runRules, ...variant.rules },
    attempts,
    states,
    decisions: [],
    readings: [],
    finalHead: undefined,
    connect,
    act(name, mortality, body) {
      const process = { name, mortality, dead: false }
      acting.add(process)
      scheduler.spawn(() => body(process).finally(() => acting.delete(process)))
    },
    acting: () => [...acting].filter((process) => !process.dead).length,
    watch(name, body) {
      const process = { name, mortality: 0, dead: false }
      scheduler.spawn(() => body(process))
    },
    stored: (partition) => [...store.recordsIn(partition).values()].sort((a, b) => (a.key.sort < b.key.sort ? -1 : 1)),
  }
}

/** Only reading can fail so: the fate of whatever is appended is always found out. */
export async function insist<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isAppError(error, "storage_unavailable")) throw error
    }
  }
}

function witnessed(log: Log, attempts: Attempt[]): Log {
  return {
    ...log,
    async append(name, head, batch, options) {
      const attempt: Attempt = { batchId: batch.batchId, events: batch.events, told: "nothing", placed: [] }
      attempts.push(attempt)
      const placed = await log.append(name, head, batch, options)
      attempt.told = placed ? "won" : "lost"
      attempt.placed = placed?.events ?? []
      return placed
    },
  }
}

function watched(session: SessionLog, states: SessionState[]): SessionLog {
  states.push(session.state)
  return {
    ...session,
    get state() {
      return session.state
    },
    async decide(rule, options) {
      try {
        return await session.decide(rule, options)
      } finally {
        states.push(session.state)
      }
    },
  }
}
