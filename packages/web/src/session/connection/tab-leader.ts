import { createFollowers } from "./followers.ts"
import type { Answer, FromLeader, ToLeader } from "./messages.ts"
import { createMultiplexer, type MultiplexerDeps } from "./multiplexer.ts"

/** Used part of the browser's `BroadcastChannel`. */
export type Channel = Pick<BroadcastChannel, "postMessage" | "onmessage" | "close">

export interface LeaderDeps extends Omit<MultiplexerDeps, "ready"> {
  openChannel(name: string): Channel
}

/** The tab that has the connection, and passes frames on to all tabs. */
export interface Leader {
  /** Receives a message of its own tab, without a channel. */
  receive(message: ToLeader): void
  /** Makes all tabs follow this leader. */
  announce(): void
  close(): void
}

/** Opens the connection of all tabs. `receive` takes the answers to its own tab, each with the leader's term. */
export function openLeader(
  name: string,
  { term, receive }: { term: number; receive: (message: FromLeader) => void },
  deps: LeaderDeps,
): Leader {
  const withTerm = (answer: Answer): FromLeader => ({ ...answer, term })
  const followers = createFollowers(deps, () => streams)
  const isWatched = () => deps.isWatched() || followers.isWatched()
  const streams = createMultiplexer({ ...deps, isWatched, ready: followers.ready })
  const inbox = deps.openChannel(`${name} leader`)
  const channels = new Map<string, Channel>()
  inbox.onmessage = ({ data }: { data: ToLeader | FromLeader }) => {
    if ("term" in data) return
    const channel = channels.get(data.tab) ?? deps.openChannel(`${name} ${data.tab}`)
    channels.set(data.tab, channel)
    followers.receive(data, (answer) => channel.postMessage(withTerm(answer)))
  }
  return {
    receive: (message) => followers.receive(message, (answer) => receive(withTerm(answer))),
    announce() {
      receive(withTerm({ type: "leads" }))
      inbox.postMessage(withTerm({ type: "leads" }))
    },
    close() {
      streams.close()
      for (const channel of [inbox, ...channels.values()]) channel.close()
    },
  }
}
