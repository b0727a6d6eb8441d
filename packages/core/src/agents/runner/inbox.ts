import type { NewId } from "../../ids.ts"
import { artifactBlobs, inboxName } from "../../kernel/keys.ts"
import type { Log } from "../../log/log.ts"
import { hydrateEvent } from "../../log/payload.ts"
import type { Blobs } from "../../storage/blobs.ts"
import type { Clock } from "../../time.ts"
import { InboxMessage } from "../terminals/schema.ts"

export interface InboxDeps {
  log: Log
  clock: Clock
  newId: NewId
}

/** Sends to the runner of one generation. Messages of one sender arrive in the order in which they were sent. */
export interface InboxSender {
  send(messages: InboxMessage[], options: { signal: AbortSignal }): Promise<void>
}

export function createInboxSender(
  { log, clock, newId }: InboxDeps,
  place: { sid: string; incarnation: number; generation: number; writer: string },
): InboxSender {
  const name = inboxName(place.sid, place.generation)
  const artifacts = artifactBlobs(place.sid, place.incarnation)
  let head = 0
  let last: Promise<unknown> = Promise.resolve()

  async function append(messages: InboxMessage[], signal: AbortSignal): Promise<void> {
    const batch = { batchId: newId("bat"), writer: place.writer, at: clock.now(), events: messages }
    for (;;) {
      const placed = await log.append(name, head, batch, { artifacts, signal })
      if (placed) {
        head = placed.lastSeq
        return
      }
      // Others send too: what they said first comes first.
      for await (const { seq } of log.read(name, head, { signal, batchEnd: true })) head = seq
    }
  }

  return {
    send(messages, { signal }) {
      const sent = last.then(() => append(messages, signal))
      last = sent.catch(() => undefined)
      return sent
    },
  }
}

/**
 * Everything that is sent to a runner, as it comes and whole, until the signal aborts. What is no message, and what can't be
 * fetched, is reported and left out: what comes after it must still arrive.
 */
export async function* readInbox(
  { log, blobs, report }: { log: Log; blobs: Blobs; report: (error: unknown) => void },
  sid: string,
  generation: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<InboxMessage> {
  for await (const event of log.tail(inboxName(sid, generation), 0, { signal })) {
    if (event.type === "heartbeat") continue
    const message = await readMessage(blobs, event, signal).catch((error) => {
      if (!signal.aborted) report(error)
    })
    if (message) yield message
  }
}

/** The messages to a runner so far. */
export async function* readSentTo(
  { log, blobs, report }: { log: Log; blobs: Blobs; report: (error: unknown) => void },
  sid: string,
  generation: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<InboxMessage> {
  for await (const event of log.read(inboxName(sid, generation), 0, { signal })) {
    const message = await readMessage(blobs, event, signal).catch((error) => {
      if (!signal.aborted) report(error)
    })
    if (message) yield message
  }
}

/** A long paste is a payload beside the log, so a message is only one once that is fetched. */
async function readMessage(blobs: Blobs, message: InboxMessage, signal: AbortSignal): Promise<InboxMessage> {
  return InboxMessage.parse(await hydrateEvent(blobs, message, { signal }))
}

/** Whether a client's message is new: one that comes again, because its sender never heard of the first, counts once. */
export function createOnce(): (client: string, clientSeq: number) => boolean {
  const heard = new Map<string, number>()
  return (client, clientSeq) => {
    if (clientSeq <= (heard.get(client) ?? 0)) return false
    heard.set(client, clientSeq)
    return true
  }
}
