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

/** Replaces parts of the product, to show that the simulation notices a fault. */
export interface Variant {
  records?: (records: Records) => Records
  log?: (log: Log, records: Records) => Log
  rules?: Partial<typeof runRules>
}

/** An attempt to append, and the outcome that its writer received. */
export interface Attempt {
  batchId: string
  events: NewEvent[]
  told: "won" | "lost" | "nothing"
  placed: LogEvent[]
}

/**
 * A decision, with the outcome that its process received. The log contains `tag` if and only if the decision was made.
 */
export interface Decision {
  tag: string
  exclusive?: string
  told: "made" | "not made" | "nothing"
}

/** Events that a reader received after `since`. */
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
  /** States that sessions folded, by whatever route. */
  states: SessionState[]
  /** Head at which readers stop. Undefined while a process may still write. */
  finalHead: number | undefined
  /** Starts a process that may write. */
  act(name: string, mortality: number, body: (process: Process) => Promise<void>): void
  /** Number of writing processes that are neither done nor dead. */
  acting(): number
  /** Starts a process that only reads. */
  watch(name: string, body: (process: Process) => Promise<void>): void
  /** Number of reading processes that are not done. */
  watching(): number
  connect(process: Process): Connection
}

/** The part of the scheduler that actors use. */
export type Pace = Pick<Scheduler, "random" | "chance" | "now" | "turn" | "later" | "spawn">

export interface WorldDeps {
  sid: string
  scheduler: Pace
  records: (process: Process) => Records
  clock: (process: Process) => Clock
  wakeups: () => Wakeups | undefined
  variant?: Variant
}

/** A process's own connection to the store, with its own failures. */
export interface Connection {
  log: Log
  open(signal?: AbortSignal): Promise<SessionLog>
}

const noBlobs = new Proxy({} as Blobs, {
  get: () => () => {
    throw new Error("Nothing here is large enough for a blob.")
  },
})

/** Creates a session with its participants, and records their observations for the judge. */
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

/**
 * Repeats a call while the store is unavailable. Only reads fail like this, because the log always determines the
 * outcome of an append.
 */
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
      // A simulation writes only the logs of sessions.
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
