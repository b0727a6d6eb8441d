import { isAppError } from "@switchyard/core/errors"
import type { LogEvent, NewEvent } from "@switchyard/core/events"
import { openSessionLog, type SessionLog } from "@switchyard/core/kernel/session-log"
import type { BaseEvent, Stored } from "@switchyard/core/log/event"
import { createLog, type Log } from "@switchyard/core/log/log"
import type { Wakeups } from "@switchyard/core/log/notifier"
import { type SessionState, sessionFold } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import type { Records } from "@switchyard/core/storage/records"
import type { Clock } from "@switchyard/core/time"
import * as runRules from "@switchyard/core/work/runs/rules"
import type { Process, Scheduler } from "./scheduler.ts"

/** What stands in for a part, to show that its absence would be noticed. */
export interface Variant {
  records?: (records: Records) => Records
  log?: (log: Log, records: Records) => Log
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
  scheduler: Pace
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
  /** How many of those are not done. */
  watching(): number
  connect(process: Process): Connection
}

/** What actors need of whoever decides when they go on. */
export type Pace = Pick<Scheduler, "random" | "chance" | "now" | "turn" | "later" | "spawn">

export interface WorldDeps {
  sid: string
  scheduler: Pace
  records: (process: Process) => Records
  clock: (process: Process) => Clock
  wakeups: () => Wakeups | undefined
  variant?: Variant
}

/** What a process has: its own way to the store, and its own luck with it. */
export interface Connection {
  log: Log
  open(signal?: AbortSignal): Promise<SessionLog>
}

const noBlobs = new Proxy({} as Blobs, {
  get: () => () => {
    throw new Error("Nothing here is large enough for a blob.")
  },
})

/** A session, and whoever takes part in it: what they were told is kept for the judge. */
export function createWorld({ sid, scheduler, variant = {}, ...deps }: WorldDeps): World {
  const acting = new Set<Process>()
  const watching = new Set<Process>()
  const attempts: Attempt[] = []
  const states: SessionState[] = []

  function connect(process: Process): Connection {
    const clock = deps.clock(process)
    const records = variant.records?.(deps.records(process)) ?? deps.records(process)
    const real = createLog({ records, blobs: noBlobs, clock, wakeups: deps.wakeups() })
    const log = witnessed(variant.log?.(real, records) ?? real, attempts)
    let ids = 0
    const newId = (prefix: string) => `${prefix}_${process.name}_${ids++}`
    const session = { log, records, clock, newId, fold: sessionFold, writer: process.name }
    const open = async (signal = new AbortController().signal) =>
      watched(await insist(() => openSessionLog(session, sid, { signal })), states)
    return { log, open }
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
      watching.add(process)
      scheduler.spawn(() => body(process).finally(() => watching.delete(process)))
    },
    watching: () => watching.size,
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
      // Only sessions' logs are written in a simulation.
      const events = batch.events as BaseEvent[] as NewEvent[]
      const attempt: Attempt = { batchId: batch.batchId, events, told: "nothing", placed: [] }
      attempts.push(attempt)
      const placed = await log.append(name, head, batch, options)
      attempt.told = placed ? "won" : "lost"
      attempt.placed = (placed?.events ?? []) as Stored<BaseEvent>[] as LogEvent[]
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
