import type { TerminalMessage } from "./connection-update.ts"
import { createLeadership, type LockManager, noLocks } from "./leadership.ts"
import type { FromLeader, ToLeader } from "./messages.ts"
import { createQueue, type Queue } from "./queue.ts"
import { createReplies } from "./replies.ts"
import { advance, type Source, type SourceUpdate } from "./source.ts"
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

interface Followed {
  source: Source
  queue: Queue<{ update: SourceUpdate; size: number }>
  /** Size of the frames consumed, and how much of that was reported to the leader. */
  taken: number
  reported: number
}

/** Interval at which a tab pings the leader. It takes over after this many pings without an answer. */
const PING_MS = 1_500
const UNWATCHED_PING_MS = 15_000
const MAX_MISSES = 3
const REPORT_AFTER = 64_000
/**
 * Creates the streams shared by all tabs of this browser. One tab leads: it has the connection, and passes each tab the
 * sources that it follows. When the leader is closed, crashes or is frozen, another tab takes over. Every tab then
 * continues from its own position, so nothing depends on what the last leader had passed on.
 */
export function createTabStreams(browser: string, deps: TabDeps): Streams {
  const { tab } = deps
  const name = deps.locks ? browser : `${browser} ${tab}`
  const followed = new Map<number, Followed>()
  const toLeader = deps.openChannel(`${name} leader`)
  const own = deps.openChannel(`${name} ${tab}`)
  const leadership = createLeadership(name, deps.locks ?? noLocks, lead)
  const replies = createReplies()
  let nextId = 1
  let term = 0
  let misses = 0
  let isAsleep = false
  let pinging = new AbortController()
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
    misses = 0
    const isNewLeader = message.term > term
    term = message.term
    if (isNewLeader) {
      replies.reset()
      followAll()
    }
    if (message.type === "reply") replies.settle(message.request, message.accepted)
    if (message.type === "pong") for (const id of message.missing) follow(id)
    if (message.type === "update") deliver(message.id, message.update, message.size)
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
    one.taken = 0
    one.reported = 0
    send({ type: "follow", tab, id, source: one.source })
  }

  function deliver(id: number, update: SourceUpdate, size: number): void {
    const one = followed.get(id)
    if (!one) return
    const next = update.type === "frame" ? advance(one.source, update.frame) : one.source
    if (next) {
      one.source = next
      one.queue.put({ update, size })
    } else took(id, one, size)
  }

  function took(id: number, one: Followed, size: number): void {
    one.taken += size
    if (one.taken - one.reported < REPORT_AFTER) return
    one.reported = one.taken
    send({ type: "took", tab, id, taken: one.taken })
  }

  async function ping({ signal }: AbortController): Promise<void> {
    while (!signal.aborted) {
      if (misses >= MAX_MISSES) {
        misses = 0
        leadership.seize()
      }
      misses += 1
      const watched = deps.isWatched()
      send({ type: "ping", tab, ids: [...followed.keys()], watched })
      await deps.pause(watched ? PING_MS : UNWATCHED_PING_MS, { signal })
    }
  }
  function restartPings(): void {
    pinging.abort()
    pinging = new AbortController()
    misses = 0
    if (followed.size > 0 && !isAsleep) void ping(pinging)
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
      const one: Followed = { source, queue: createQueue(), taken: 0, reported: 0 }
      followed.set(id, one)
      follow(id)
      if (followed.size === 1) restartPings()
      try {
        for await (const { update, size } of one.queue.read({ signal })) {
          yield update
          if (update.type === "refused") return
          took(id, one, size)
        }
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
      for (const { queue } of followed.values()) queue.end()
      toLeader.close()
      own.close()
    },
  }
}
