import type { Answer, ToLeader } from "./messages.ts"
import type { Multiplexer } from "./multiplexer.ts"

/** The tabs that a leader serves, including its own. */
export interface Followers {
  /** Handles a message from a tab. */
  receive(message: ToLeader, reply: (answer: Answer) => void): void
  /**
   * Resolves when every tab has consumed most of what it was sent. A tab that consumes nothing for too long is dropped.
   */
  ready(): Promise<void>
  /** Returns true if any of the tabs is visible. */
  isWatched(): boolean
}

interface FollowersDeps {
  now(): number
  pause(ms: number, options: { signal: AbortSignal }): Promise<void>
}

interface Tab {
  heardAt: number
  isWatched: boolean
  /** For each source, how much was sent, and how much of that the tab has consumed. */
  sources: Map<number, { sent: number; taken: number }>
}

const MAX_UNTAKEN = 1_000_000
const TAKES_WITHIN_MS = 5_000
/** Browsers throttle the timers of hidden pages to once a minute. */
const SILENT_MS = 150_000
const WATCHED_WITHIN_MS = 5_000

export function createFollowers({ now, pause }: FollowersDeps, streamsOf: () => Multiplexer): Followers {
  const tabs = new Map<string, Tab>()
  let tookMore = new AbortController()

  function follow(name: string, { sources }: Tab, message: ToLeader & { type: "follow" }, reply: (a: Answer) => void) {
    const { id, source } = message
    const counts = { sent: 0, taken: 0 }
    sources.set(id, counts)
    streamsOf().follow(keyOf(name, id), source, (update, size) => {
      counts.sent += size
      reply({ type: "update", id, update, size })
    })
  }
  function drop(name: string, id: number): void {
    tabs.get(name)?.sources.delete(id)
    streamsOf().unfollow(keyOf(name, id))
  }
  /** Returns the sources that tabs follow and have fallen behind on. */
  function behind(): { name: string; id: number }[] {
    return [...tabs].flatMap(([name, { sources }]) =>
      [...sources].flatMap(([id, { sent, taken }]) => (sent - taken > MAX_UNTAKEN ? { name, id } : [])),
    )
  }
  /** Drops sources that a tab has silently stopped following, and tabs that are gone. */
  function tidy(name: string, tab: Tab, ids: number[]): void {
    for (const id of [...tab.sources.keys()]) if (!ids.includes(id)) drop(name, id)
    for (const [other, { heardAt, sources }] of [...tabs]) {
      if (now() - heardAt <= SILENT_MS) continue
      for (const id of [...sources.keys()]) drop(other, id)
      tabs.delete(other)
    }
  }

  return {
    receive(message, reply) {
      const name = message.tab
      const tab = tabs.get(name) ?? { heardAt: 0, isWatched: false, sources: new Map() }
      tabs.set(name, tab)
      tab.heardAt = now()
      if (message.type === "follow") follow(name, tab, message, reply)
      else if (message.type === "unfollow") drop(name, message.id)
      else if (message.type === "retry") streamsOf().retry()
      else if (message.type === "send") {
        const { request } = message
        streamsOf()
          .send(message.message)
          .then((accepted) => reply({ type: "reply", request, accepted }))
      } else if (message.type === "took") {
        const counts = tab.sources.get(message.id)
        if (counts) counts.taken = message.taken
        tookMore.abort()
      } else {
        tab.isWatched = message.watched
        if (message.watched) streamsOf().nudge()
        tidy(name, tab, message.ids)
        reply({ type: "pong", missing: message.ids.filter((id) => !tab.sources.has(id)) })
      }
    },
    async ready() {
      while (behind().length > 0) {
        tookMore = new AbortController()
        const { signal } = tookMore
        await pause(TAKES_WITHIN_MS, { signal })
        if (signal.aborted) continue
        for (const { name, id } of behind()) drop(name, id)
      }
    },
    isWatched: () => [...tabs.values()].some((tab) => tab.isWatched && now() - tab.heardAt < WATCHED_WITHIN_MS),
  }
}

function keyOf(tab: string, id: number): string {
  return `${tab} ${id}`
}
