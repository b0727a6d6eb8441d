import type { Frame } from "./source.ts"

/** A message from a terminal's viewer, in the shared socket's format. */
export type TerminalMessage = { session: string; pty: string; client: string } & (
  | { type: "input"; client_seq: number; data: string }
  | { type: "resize"; rows: number; cols: number; take: boolean }
)

/** Sends a message. Resolves to false if it wasn't accepted or the answer may be lost. It must then be sent by POST. */
export type Send = (message: TerminalMessage) => Promise<boolean>

export type ConnectionUpdate =
  /** `send` is set if messages can be sent over the connection. `isPolled`: updates arrive only every few seconds. */
  | { type: "opened"; send?: Send; isPolled?: boolean }
  /** `size`: length of the frame's text. */
  | { type: "frame"; frame: Frame; size: number }
  /** Instead of a stream, the server responded with this status. */
  | { type: "refused"; status: number }
