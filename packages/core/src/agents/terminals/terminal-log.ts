import * as z from "zod"
import type { NewId } from "../../ids.ts"
import { artifactBlobs, inboxName, terminalLogName, terminalSnapshotKey } from "../../kernel/keys.ts"
import type { EventHeader } from "../../log/event.ts"
import type { Log } from "../../log/log.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import { TerminalEvent, type TerminalFrame } from "./schema.ts"
import { createFollower } from "./viewer-frames.ts"

export interface TerminalLogDeps {
  log: Log
  records: Records
  blobs: Blobs
  clock: Clock
  newId: NewId
}

const SnapshotHint = z.object({
  seq: z.int().positive(),
  offset: z.int().nonnegative(),
  /** Which life of the session the terminal belongs to. */
  incarnation: z.int().positive(),
})

/** The one writer of one terminal's log. Calls must come one after the other. */
export interface TerminalWriter {
  append(events: TerminalEvent[], options: { signal: AbortSignal }): Promise<void>
}

/**
 * Opens the log of a terminal that is just being started: its name is new, so nobody else writes to it, and a runner that
 * is presumed dead harms nobody by going on.
 */
export function openTerminalLog(
  { log, records, clock, newId }: TerminalLogDeps,
  place: { sid: string; incarnation: number; pty: string; writer: string },
): TerminalWriter {
  const name = terminalLogName(place.sid, place.pty)
  const artifacts = artifactBlobs(place.sid, place.incarnation)
  let head = 0
  return {
    async append(events, { signal }) {
      const batch = { batchId: newId("bat"), writer: place.writer, at: clock.now(), events }
      const placed = await log.append(name, head, batch, { artifacts, signal })
      if (!placed) throw new Error(`Somebody else writes to the terminal ${place.pty}.`)
      head = placed.lastSeq
      const index = events.findLastIndex(({ type }) => type === "terminal_snapshot")
      const snapshot = events[index]
      if (!snapshot) return
      const hint = { seq: placed.firstSeq + index, offset: snapshot.offset, incarnation: place.incarnation }
      await records.put(terminalSnapshotKey(place.sid, place.pty), { value: hint }, { signal })
    },
  }
}

export interface AttachOptions {
  /** The viewer's offset, if it is no new one. */
  offset?: number
  signal: AbortSignal
  heartbeatMs?: number
}

/**
 * Everything that a viewer must draw, from the last snapshot on or from where it is, and then what comes. Ends with the
 * terminal, or by itself when the signal aborts. Heartbeats fill silences.
 */
export async function* attachTerminal(
  { log, records, blobs }: Pick<TerminalLogDeps, "log" | "records" | "blobs">,
  sid: string,
  pty: string,
  { offset, signal, heartbeatMs }: AttachOptions,
): AsyncGenerator<TerminalFrame | { type: "heartbeat" }> {
  try {
    const { since, show } = await viewTerminal({ records, blobs }, sid, pty, { offset, signal })
    for await (const event of log.tail(terminalLogName(sid, pty), since, { signal, heartbeatMs })) {
      if (event.type === "heartbeat") {
        yield { type: "heartbeat" }
        continue
      }
      for (const frame of await show(event)) {
        yield frame
        if (frame.type === "ended") return
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The place in a terminal's log at which a viewer begins, and the frames for it of each event from there on. */
export async function viewTerminal(
  { records, blobs }: Pick<TerminalLogDeps, "records" | "blobs">,
  sid: string,
  pty: string,
  { offset, signal }: Pick<AttachOptions, "offset" | "signal">,
): Promise<{ since: number; show(event: TerminalEvent): Promise<TerminalFrame[]> }> {
  const follower = createFollower(offset ?? null)
  return {
    since: await lastSnapshot(records, sid, pty, { signal }),
    show: async (event) => follower.take(await whole(blobs, event, signal)),
  }
}

/** The place right before the newest snapshot. */
async function lastSnapshot(
  records: Records,
  sid: string,
  pty: string,
  options: { signal: AbortSignal },
): Promise<number> {
  const record = await records.get(terminalSnapshotKey(sid, pty), options)
  return record ? SnapshotHint.parse(record.value).seq - 1 : 0
}

async function whole(blobs: Blobs, event: TerminalEvent, signal: AbortSignal): Promise<TerminalEvent> {
  const entries = Object.entries(event).map(async ([name, field]) => [
    name,
    await readField(blobs, field, z.unknown(), { signal }),
  ])
  return TerminalEvent.parse(Object.fromEntries(await Promise.all(entries)))
}

/** Everything that stands in a terminal's log, whole. */
export async function* readTerminal(
  { log, blobs }: Pick<TerminalLogDeps, "log" | "blobs">,
  sid: string,
  pty: string,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<TerminalEvent & Pick<EventHeader, "ts">> {
  for await (const event of log.read(terminalLogName(sid, pty), 0, { signal })) {
    yield { ...(await whole(blobs, event, signal)), ts: event.ts }
  }
}

/** Ends the log of a terminal whose runner died, so that nobody waits for more. One that has ended stays as it is. */
export async function endTerminal(
  { log, clock, newId }: Pick<TerminalLogDeps, "log" | "clock" | "newId">,
  place: { sid: string; incarnation: number; pty: string; writer: string },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const name = terminalLogName(place.sid, place.pty)
  const artifacts = artifactBlobs(place.sid, place.incarnation)
  let head = 0
  let offset = 0
  for (;;) {
    for await (const event of log.read(name, head, { signal, batchEnd: true })) {
      head = event.seq
      if (event.type === "terminal_ended") return
      offset = endOf(event, offset)
    }
    const events: TerminalEvent[] = [{ type: "terminal_ended", offset, exit_code: null }]
    const batch = { batchId: newId("bat"), writer: place.writer, at: clock.now(), events }
    if (await log.append(name, head, batch, { artifacts, signal })) return
  }
}

function endOf(event: TerminalEvent, before: number): number {
  const size = event.type === "terminal_bytes" ? Buffer.byteLength(event.bytes, "base64") : 0
  return Math.max(before, event.offset + size)
}

/** Forgets the terminals of a session's lives up to `last`, and what was sent to its runners up to that of `generation`. */
export async function deleteTerminals(
  { records }: Pick<TerminalLogDeps, "records">,
  sid: string,
  { last, generation }: { last: number; generation: number },
  options: { signal?: AbortSignal },
): Promise<void> {
  for await (const { key, value } of records.range(terminalSnapshotKey(sid, "x").partition, options)) {
    if (SnapshotHint.parse(value).incarnation > last) continue
    await removeAll(records, terminalLogName(sid, key.sort), options)
    await records.remove(key, options)
  }
  for (let one = 1; one <= generation; one++) await removeAll(records, inboxName(sid, one), options)
}

async function removeAll(records: Records, partition: string, options: { signal?: AbortSignal }): Promise<void> {
  for await (const { key } of records.range(partition, options)) await records.remove(key, options)
}
