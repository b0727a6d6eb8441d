import type { TerminalMessage } from "./connection-update.ts"
import type { Source, SourceUpdate } from "./source.ts"

/** Messages of a tab to the leader. `id`: the tab's number of what it follows. */
export type ToLeader = { tab: string } & (
  | { type: "follow"; id: number; source: Source }
  | { type: "unfollow"; id: number }
  /** `taken`: how much of a source's frames the tab has taken in all. */
  | { type: "took"; id: number; taken: number }
  /** `ids`: everything that the tab follows. `watched`: whether somebody looks at it. */
  | { type: "ping"; ids: number[]; watched: boolean }
  | { type: "retry" }
  /** `request`: the tab's number of it. */
  | { type: "send"; request: number; message: TerminalMessage }
)

export type Answer =
  | { type: "leads" }
  /** `size`: the length of a frame's text. */
  | { type: "update"; id: number; update: SourceUpdate; size: number }
  | { type: "reply"; request: number; accepted: boolean }
  /** `missing`: what the leader doesn't follow for the tab, though the tab takes it for granted. */
  | { type: "pong"; missing: number[] }

/** Messages of the leader to a tab. Of two leaders, that of the later term counts. */
export type FromLeader = { term: number } & Answer
