import type { TerminalMessage } from "./connection-update.ts"
import { createFollowedSource, type FollowedSource } from "./followed-source.ts"
import { createLeadership, type LockManager, noLocks } from "./leadership.ts"
import type { FromLeader, ToLeader } from "./messages.ts"
import { createPings } from "./pings.ts"
import { createReplies } from "./replies.ts"
import type { Source, SourceUpdate } from "./source.ts"
import { type LeaderDeps, openLeader } from "./tab-leader.ts"

/** Follows sources over this browser's only connection. */
export interface Streams {
  /** Yields a source's updates, each frame once and in order, until the signal aborts or the source is refused. */
  open(source: Source, options: { signal: AbortSignal }): AsyncGenerator<SourceUpdate>
  /**
   * Sends a message over the connection. Resolves to false if that wasn't possible or may have failed. It must then be
   * sent by POST.
   */
  send(message: TerminalMessage): Promise<boolean>
  /** Connects now instead of after the pause. */
  retry(): void
  close(): void
}

export interface TabDeps extends LeaderDeps {
  /** Unique name of this tab. */
  tab: string
  /**
   * Undefined if the browser doesn't support locks, for example without HTTPS. Each tab then has its own connection.
   */
  locks: LockManager | undefined
  /** Calls the listener when the page is frozen and when it resumes. */
  onSleep(listener: (asleep: boolean) => void): () => void
}

/**
 * Creates the streams shared by all tabs of this browser. One tab leads: it has the connection, and passes each tab the
 * sources that it follows. When the leader is closed, crashes or is frozen, another tab takes over. Every tab then
 * continues from its own position, so nothing depends on what the last leader had passed on.
 */
export function createTabStreams(browser: string, deps: TabDeps): Streams {
  const { tab } = deps
  const name = deps.locks ? browser : `${browser} ${tab}`
  const followed = new Map<number, FollowedSource>()
  const toLeader = deps.openChannel(`${name} leader`)
  const own = deps.openChannel(`${name} ${tab}`)
  const leadership = createLeadership(name, deps.locks ?? noLocks, lead)
  const replies = createReplies()
  const pings = createPings(deps, {
    send: ({ watched }) => send({ type: "ping", tab, ids: [...followed.keys()], watched }),
    onSilence: leadership.seize,
  })
  let nextId = 1
  let term = 0
  let isAsleep = false
  /** Set while this tab leads, so that its own messages are handled directly. */
  let leader: ((message: ToLeader) => void) | undefined

  async function lead(signal: AbortSignal): Promise<void> {
    const opened = openLeader(name, { term: Math.max(deps.now(), term + 1), receive }, deps)
    leader = opened.receive
    opened.announce()
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
    leader = undefined
    opened.close()
    // Another tab may have asked to lead while this one was still answering itself.
    followAll()
  }

  function send(message: ToLeader): void {
    if (leader) leader(message)
    else if (!isAsleep) toLeader.postMessage(message)
  }

  function receive(message: FromLeader): void {
    if (isAsleep || message.term < term) return
    pings.answered()
    const isNewLeader = message.term > term
    term = message.term
    if (isNewLeader) {
      replies.reset()
      followAll()
    }
    if (message.type === "reply") replies.settle(message.request, message.accepted)
    if (message.type === "pong") for (const id of message.missing) follow(id)
    if (message.type === "update") followed.get(message.id)?.receive(message.update, message.size)
  }

  async function sendByLeader(message: TerminalMessage): Promise<boolean> {
    if (isAsleep) return false
    return replies.wait((request) => send({ type: "send", tab, request, message }))
  }

  function followAll(): void {
    for (const id of followed.keys()) follow(id)
  }
  function follow(id: number): void {
    const one = followed.get(id)
    if (!one) return
    one.recount()
    send({ type: "follow", tab, id, source: one.source })
  }

  function restartPings(): void {
    if (followed.size > 0 && !isAsleep) pings.start()
    else pings.stop()
  }

  function sleep(): void {
    for (const id of followed.keys()) send({ type: "unfollow", tab, id })
    isAsleep = true
    leadership.leave()
    restartPings()
  }
  function wake(): void {
    isAsleep = false
    leadership.stand()
    followAll()
    restartPings()
  }

  toLeader.onmessage = ({ data }: { data: ToLeader | FromLeader }) => "term" in data && receive(data)
  own.onmessage = ({ data }) => receive(data)
  const stopListening = deps.onSleep((asleep) => (asleep ? sleep() : wake()))
  leadership.stand()

  return {
    async *open(source, { signal }) {
      const id = nextId++
      const one = createFollowedSource(source, (taken) => send({ type: "took", tab, id, taken }))
      followed.set(id, one)
      follow(id)
      if (followed.size === 1) restartPings()
      try {
        yield* one.read({ signal })
      } finally {
        followed.delete(id)
        send({ type: "unfollow", tab, id })
        if (followed.size === 0) restartPings()
      }
    },
    send: sendByLeader,
    retry: () => send({ type: "retry", tab }),
    close() {
      sleep()
      stopListening()
      for (const one of followed.values()) one.end()
      toLeader.close()
      own.close()
    },
  }
}
