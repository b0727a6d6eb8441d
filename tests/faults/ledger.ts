import { join } from "node:path"
import type { LogEvent } from "@switchyard/core/events"
import { openWorkspace } from "@switchyard/core/files/workspaces/files"
import { sessionKey } from "@switchyard/core/ids"
import { logName } from "@switchyard/core/kernel/keys"
import { openSessionLog } from "@switchyard/core/kernel/session-log"
import { decodeBatch } from "@switchyard/core/log/batch"
import { createLog } from "@switchyard/core/log/log"
import { hydrateEvent } from "@switchyard/core/log/payload"
import { sessionFold } from "@switchyard/core/state"
import type { Blobs } from "@switchyard/core/storage/blobs"
import { createFileBlobs } from "@switchyard/core/storage/files"
import type { Records } from "@switchyard/core/storage/records"
import { createSqliteRecords } from "@switchyard/core/storage/sqlite"
import { systemClock } from "@switchyard/core/time"
import { beginStream, projectEvent } from "@switchyard/core/work/workflow/stream/projection"
import { expect } from "vitest"
import type { Frame } from "./event-stream.ts"

/** Log and files of a session. */
export interface Ledger {
  /** All events of the log, with their blobs' contents. */
  events: LogEvent[]
  /** Process that appended each event, in the same order. */
  writers: string[]
  files: Record<string, string>
}

/** Reads a session from a data folder directly, without its server. */
export async function readLedger(dataFolder: string, sessionId: string): Promise<Ledger> {
  const records = createSqliteRecords({ file: join(dataFolder, "records.sqlite") })
  const directory = join(dataFolder, "blobs")
  const blobs = createFileBlobs({ directory, publicUrl: "", signingKey: new Uint8Array(32) })
  try {
    return await readSession({ records, blobs }, sessionId)
  } finally {
    records.close()
    blobs.close()
  }
}

/** Reads an owner's session. The default is the only owner of a server without login. */
export async function readSession(
  stores: { records: Records; blobs: Blobs },
  sessionId: string,
  owner = "local",
): Promise<Ledger> {
  const { signal } = new AbortController()
  const sid = sessionKey(owner, sessionId)
  const log = createLog({ ...stores, clock: systemClock })
  const events: LogEvent[] = []
  for await (const event of log.read(logName(sid), 0, { signal })) {
    events.push(await hydrateEvent(stores.blobs, event, { signal }))
  }
  const writers: string[] = []
  for await (const record of stores.records.range(logName(sid))) {
    const { events, writer } = await decodeBatch(record)
    writers.push(...events.map(() => writer))
  }
  const session = await openSessionLog(
    { ...stores, log, clock: systemClock, newId: String, fold: sessionFold, writer: "" },
    sid,
    {
      signal,
    },
  )
  const { files } = await (await openWorkspace(stores, session, { signal })).readAllTexts({ signal })
  return { events, writers, files: Object.fromEntries(files.map(({ path, text }) => [path, text])) }
}

const ENDS = ["run_completed", "run_failed", "run_cancelled"]

export function endsOf(events: LogEvent[], runId: string): LogEvent[] {
  return events.filter((event) => event.run_id === runId && ENDS.includes(event.type))
}

/** Returns the committed steps in order. */
export function stepsOf(events: LogEvent[]): string[] {
  return events.flatMap((event) => (event.type === "workspace_committed" && event.step ? event.step : []))
}

/** Expects that no event is missing, doubled, or from an executor that had lost its run. */
export function expectSound({ events, writers }: Ledger, where: string): void {
  expect(
    events.map(({ seq }) => seq),
    where,
  ).toEqual(events.map((_, index) => index + 1))
  expect(new Set(events.map(({ event_id }) => event_id)).size, where).toBe(events.length)
  const steps = events.flatMap((event) => {
    return event.type === "workspace_committed" && event.step ? `${event.run_id} ${event.step}` : []
  })
  expect(new Set(steps).size, where).toBe(steps.length)
  for (const runId of new Set(events.flatMap(({ run_id }) => run_id ?? []))) expectOneLife(events, runId, where)
  expectFenced(events, writers, where)
}

/** Expects claims to count up, no event twice under different ids, and no event after the run's end. */
function expectOneLife(events: LogEvent[], runId: string, where: string): void {
  const said = events.filter(({ run_id }) => run_id === runId)
  const claims = said.flatMap((event) => (event.type === "run_claimed" ? event.generation : []))
  expect(claims, where).toEqual(claims.map((_, index) => index + 1))
  const deeds = said.flatMap((event) => deedOf(event) ?? [])
  expect(
    deeds.filter((deed, index) => deeds.indexOf(deed) !== index),
    where,
  ).toEqual([])
  const ends = endsOf(events, runId)
  expect(ends.length, where).toBeLessThanOrEqual(1)
  if (ends.length === 1) expect(said.at(-1), where).toBe(ends[0])
}

/** Returns a name for an event that can happen only once in a run. Returns undefined for other events. */
function deedOf(event: LogEvent): string | undefined {
  if (event.type === "run_created" || event.type === "run_cancel_requested") return event.type
  if ("tool_call_id" in event) return `${event.type} ${event.tool_call_id}`
  const isVisit = event.type === "node_started" || event.type === "node_finished"
  return isVisit ? `${event.type} ${event.node} ${event.iteration}` : undefined
}

/** Expects each event of an executor to come from the executor that had claimed the run last. */
function expectFenced(events: LogEvent[], writers: string[], where: string): void {
  const holders = new Map<string, string>()
  for (const [index, event] of events.entries()) {
    const { run_id: runId = "", type } = event
    if (type === "run_claimed") holders.set(runId, event.executor)
    else if (SAID_BY_EXECUTORS.test(type)) expect(writers[index], `${where}, seq ${event.seq}`).toBe(holders.get(runId))
  }
}

const SAID_BY_EXECUTORS = /^(node|model|tool)_|^workspace_committed$|^run_(completed|failed|handed_over)$/

/** Returns the frames that a client of `/v1/runs/{id}/events` must have received for an ended run. */
export function eventFrames(events: LogEvent[], runId: string, sessionId: string): Frame[] {
  const frames = events
    .filter(({ run_id }) => run_id === runId)
    .map((event) => ({ id: String(event.seq), event: event.type, data: { ...event, session_id: sessionId } }))
  const status = endsOf(events, runId)[0]?.type.replace("run_", "")
  return [...asSent(frames), { id: undefined, event: "end", data: { status } }]
}

/** Returns the frames that a client of `/v1/runs/{id}/stream` must have received. */
export function projectedFrames(events: LogEvent[], runId: string, sessionId: string): Frame[] {
  let view = beginStream(runId, sessionId)
  const frames: Frame[] = []
  for (const event of events.filter(({ run_id }) => run_id === runId)) {
    const told = projectEvent(view, event)
    view = told.view
    frames.push(...told.frames)
  }
  return asSent(frames)
}

function asSent(frames: Frame[]): Frame[] {
  return JSON.parse(JSON.stringify(frames))
}
