import type { Frame } from "./source.ts"

/** A message of a terminal's viewer, as the shared socket takes it. */
export type TerminalMessage = { session: string; pty: string; client: string } & (
  | { type: "input"; client_seq: number; data: string }
  | { type: "resize"; rows: number; cols: number; take: boolean }
)

/** Sends a message. False if it wasn't accepted, or the answer may be lost: then it is sent by POST. */
export type Send = (message: TerminalMessage) => Promise<boolean>

export type ConnectionUpdate =
  /** `send` is there where messages can be sent over the connection. `isPolled`: updates come every few seconds. */
  | { type: "opened"; send?: Send; isPolled?: boolean }
  /** `size`: the length of its text. */
  | { type: "frame"; frame: Frame; size: number }
  /** The server responded with this status instead of a stream. */
  | { type: "refused"; status: number }
