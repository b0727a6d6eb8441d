import type { TerminalMessage } from "./connection-update.ts"
import type { Source, SourceUpdate } from "./source.ts"

/** Messages from a tab to the leader. `id` is the tab's number for a source that it follows. */
export type ToLeader = { tab: string } & (
  | { type: "follow"; id: number; source: Source }
  | { type: "unfollow"; id: number }
  /** `taken`: total size of this source's frames that the tab has consumed. */
  | { type: "took"; id: number; taken: number }
  /** `ids`: everything that the tab follows. `watched`: whether the tab is visible. */
  | { type: "ping"; ids: number[]; watched: boolean }
  | { type: "retry" }
  /** `request`: the tab's number for this message. */
  | { type: "send"; request: number; message: TerminalMessage }
)

export type Answer =
  | { type: "leads" }
  /** `size`: length of the frame's text. */
  | { type: "update"; id: number; update: SourceUpdate; size: number }
  | { type: "reply"; request: number; accepted: boolean }
  /** `missing`: sources that the tab expects but the leader doesn't follow for it. */
  | { type: "pong"; missing: number[] }

/** Messages from the leader to a tab. If two tabs claim to lead, the later term wins. */
export type FromLeader = { term: number } & Answer
