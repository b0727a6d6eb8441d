import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { NewId } from "../../ids.ts"
import { artifactBlobs, inboxName, terminalLogName, terminalSnapshotKey } from "../../kernel/keys.ts"
import type { EventHeader } from "../../log/event.ts"
import type { Log } from "../../log/log.ts"
import { readField } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Records } from "../../storage/records.ts"
import type { Clock } from "../../time.ts"
import { TerminalEvent, type TerminalFrame } from "./schema.ts"
import { createViewerFrames } from "./viewer-frames.ts"

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
  /** Incarnation of the session that the terminal belongs to. */
  incarnation: z.int().positive(),
})

/** The only writer to a terminal's log. Its methods must be called one after another. */
export type TerminalWriter = ReturnType<typeof openTerminalLog>

/**
 * Opens the log of a new terminal. The name is new, so there is no other writer. A runner that is wrongly presumed dead
 * can safely continue to write to its own log.
 */
export function openTerminalLog(
  { log, records, clock, newId }: TerminalLogDeps,
  terminal: { sid: string; incarnation: number; pty: string; writer: string },
) {
  const name = terminalLogName(terminal.sid, terminal.pty)
  const artifacts = artifactBlobs(terminal.sid, terminal.incarnation)
  let head = 0
  return {
    async append(events: TerminalEvent[], { signal }: { signal: AbortSignal }): Promise<void> {
      const batch = { batchId: newId("bat"), writer: terminal.writer, at: clock.now(), events }
      const appended = await log.append(name, head, batch, { artifacts, signal })
      if (!appended) {
        throw new AppError("run_superseded", `Another process is writing to the log of terminal ${terminal.pty}.`)
      }
      head = appended.lastSeq
      const index = events.findLastIndex(({ type }) => type === "terminal_snapshot")
      const snapshot = events[index]
      if (!snapshot) return
      const hint = { seq: appended.firstSeq + index, offset: snapshot.offset, incarnation: terminal.incarnation }
      await records.put(terminalSnapshotKey(terminal.sid, terminal.pty), { value: hint }, { signal })
    },
  }
}

export interface AttachOptions {
  /** Offset where a reconnecting viewer continues. */
  offset?: number
  signal: AbortSignal
  heartbeatMs?: number
}

/**
 * Yields frames for a viewer, starting at its offset or at the last snapshot, and continues as new output arrives. Ends
 * with the terminal, or when the signal aborts. Yields heartbeats while there is no output.
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

/**
 * Returns a viewer's start position in a terminal's log, and a function that converts each event after that position to
 * frames for the viewer.
 */
export async function viewTerminal(
  { records, blobs }: Pick<TerminalLogDeps, "records" | "blobs">,
  sid: string,
  pty: string,
  { offset, signal }: Pick<AttachOptions, "offset" | "signal">,
): Promise<{ since: number; show(event: TerminalEvent): Promise<TerminalFrame[]> }> {
  const viewer = createViewerFrames(offset ?? null)
  return {
    since: await seqBeforeSnapshot(records, sid, pty, { signal }),
    show: async (event) => viewer.framesFor(await hydrateTerminalEvent(blobs, event, signal)),
  }
}

/** Returns the position just before the newest snapshot. */
async function seqBeforeSnapshot(
  records: Records,
  sid: string,
  pty: string,
  options: { signal: AbortSignal },
): Promise<number> {
  const record = await records.get(terminalSnapshotKey(sid, pty), options)
  return record ? SnapshotHint.parse(record.value).seq - 1 : 0
}

async function hydrateTerminalEvent(blobs: Blobs, event: TerminalEvent, signal: AbortSignal): Promise<TerminalEvent> {
  const entries = Object.entries(event).map(async ([name, field]) => [
    name,
    await readField(blobs, field, z.unknown(), { signal }),
  ])
  return TerminalEvent.parse(Object.fromEntries(await Promise.all(entries)))
}

/** Yields all events in a terminal's log, with their full content. */
export async function* readTerminal(
  { log, blobs }: Pick<TerminalLogDeps, "log" | "blobs">,
  sid: string,
  pty: string,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<TerminalEvent & Pick<EventHeader, "ts">> {
  for await (const event of log.read(terminalLogName(sid, pty), 0, { signal })) {
    yield { ...(await hydrateTerminalEvent(blobs, event, signal)), ts: event.ts }
  }
}

/**
 * Ends the log of a terminal whose runner has died, so that viewers don't wait. Does nothing if the log has already
 * ended.
 */
export async function endTerminal(
  { log, clock, newId }: Pick<TerminalLogDeps, "log" | "clock" | "newId">,
  terminal: { sid: string; incarnation: number; pty: string; writer: string },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const name = terminalLogName(terminal.sid, terminal.pty)
  const artifacts = artifactBlobs(terminal.sid, terminal.incarnation)
  let head = 0
  let offset = 0
  for (;;) {
    for await (const event of log.read(name, head, { signal, batchEnd: true })) {
      head = event.seq
      if (event.type === "terminal_ended") return
      offset = endOffset(event, offset)
    }
    const events: TerminalEvent[] = [{ type: "terminal_ended", offset, exit_code: null }]
    const batch = { batchId: newId("bat"), writer: terminal.writer, at: clock.now(), events }
    if (await log.append(name, head, batch, { artifacts, signal })) return
  }
}

function endOffset(event: TerminalEvent, before: number): number {
  const size = event.type === "terminal_bytes" ? Buffer.byteLength(event.bytes, "base64") : 0
  return Math.max(before, event.offset + size)
}

/**
 * Deletes the terminals of a session's incarnations up to `last`, and the inboxes of its runners up to `generation`.
 */
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
