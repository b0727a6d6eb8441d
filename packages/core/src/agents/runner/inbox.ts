import { AppError } from "../../errors.ts"
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

/** Identifies the inbox of one runner generation, and the process that writes to it. */
interface InboxPlace {
  sid: string
  incarnation: number
  generation: number
  writer: string
}

/** Sends messages to the runner of one generation. Messages from one sender arrive in order. */
export interface InboxSender {
  /** Throws `terminal_invalid` if the inbox is closed, i.e. the runner has died and been replaced. */
  send(messages: InboxMessage[], options: { signal: AbortSignal }): Promise<void>
}

export function createInboxSender({ log, clock, newId }: InboxDeps, place: InboxPlace): InboxSender {
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
      // Skip earlier messages from other senders that write to the same inbox.
      for await (const { seq, type } of log.read(name, head, { signal, batchEnd: true })) {
        if (type === "inbox_closed") {
          throw new AppError(
            "terminal_invalid",
            "The runner was lost before it received this. Another runner is serving the session now.",
          )
        }
        head = seq
      }
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

/** Message with its number in the inbox. */
export interface SentMessage {
  seq: number
  message: InboxMessage
}

/**
 * Yields messages to a runner as they arrive, with their full content, until the signal aborts. Reports and skips
 * messages that are invalid or unavailable, so that later messages still arrive.
 */
export async function* readInbox(
  { log, blobs, report }: { log: Log; blobs: Blobs; report: (error: unknown) => void },
  sid: string,
  generation: number,
  { signal }: { signal: AbortSignal },
): AsyncGenerator<SentMessage> {
  for await (const event of log.tail(inboxName(sid, generation), 0, { signal })) {
    if (event.type === "heartbeat" || event.type === "inbox_closed") continue
    const message = await readMessage(blobs, event, signal).catch((error) => {
      if (!signal.aborted) report(error)
    })
    if (message) yield { seq: event.seq, message }
  }
}

/**
 * Closes the inbox of a runner that has stopped or is stopping, so that later messages are refused. Returns the
 * messages after `since`.
 */
export async function closeInbox(
  { log, clock, newId, blobs, report }: InboxDeps & { blobs: Blobs; report: (error: unknown) => void },
  place: InboxPlace,
  { since = 0, signal }: { since?: number; signal: AbortSignal },
): Promise<InboxMessage[]> {
  const name = inboxName(place.sid, place.generation)
  const artifacts = artifactBlobs(place.sid, place.incarnation)
  const last = { type: "inbox_closed" as const }
  const batch = { batchId: newId("bat"), writer: place.writer, at: clock.now(), events: [last] }
  const messages: InboxMessage[] = []
  for (let head = since; ; ) {
    for await (const event of log.read(name, head, { signal, batchEnd: true })) {
      head = event.seq
      if (event.type === "inbox_closed") return messages
      const message = await readMessage(blobs, event, signal).catch((error) => {
        if (!signal.aborted) report(error)
      })
      if (message) messages.push(message)
    }
    if (await log.append(name, head, batch, { artifacts, signal })) return messages
  }
}

/** Loads and parses a message. Long pasted texts are stored outside the log. */
async function readMessage(blobs: Blobs, message: InboxMessage, signal: AbortSignal): Promise<InboxMessage> {
  return InboxMessage.parse(await hydrateEvent(blobs, message, { signal }))
}

/**
 * Creates a check that returns true only for messages that a client hasn't sent before. Without it, a message that is
 * resent after a lost reply would be handled twice.
 */
export function createOnce(): (client: string, clientSeq: number) => boolean {
  const heard = new Map<string, number>()
  return (client, clientSeq) => {
    if (clientSeq <= (heard.get(client) ?? 0)) return false
    heard.set(client, clientSeq)
    return true
  }
}
