import * as z from "zod"
import { AgentId } from "../conversations/schema.ts"

const offset = z.int().nonnegative().describe("Bytes of the terminal's output before this")
const size = { rows: z.int().positive(), cols: z.int().positive() }

/** An event of a terminal's log. A gap between offsets is bytes that a snapshot replaces. */
export const TerminalEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("terminal_bytes"),
    offset,
    bytes: z.base64(),
    /** The event of the session that these bytes follow. */
    after: z.int().nonnegative(),
  }),
  z.object({
    type: z.literal("terminal_snapshot"),
    offset,
    ...size,
    /** Text that brings an empty terminal of this size to the state after the bytes before `offset`. */
    screen: z.string(),
    /** The event of the session that the last of those bytes follow; missing in logs of earlier versions. */
    after: z.int().nonnegative().optional(),
  }),
  z.object({ type: z.literal("terminal_resized"), offset, ...size }),
  z.object({ type: z.literal("terminal_ended"), offset, exit_code: z.int().nullable() }),
])
export type TerminalEvent = z.infer<typeof TerminalEvent>

/** A frame for a viewer, in order. `offset` is the viewer's position once it has applied the frame. */
export type TerminalFrame =
  /** Begin anew: an empty terminal of this size, and then this text. */
  | { type: "snapshot"; offset: number; rows: number; cols: number; screen: string; after: number }
  | { type: "bytes"; offset: number; bytes: Uint8Array; after: number }
  /** Not before everything that came earlier is drawn. */
  | { type: "resized"; offset: number; rows: number; cols: number; after: number }
  | { type: "ended"; offset: number; exitCode: number | null; after: number }

/** The agent of a message; left out for `main`. */
const toAgent = { agent_id: AgentId.optional() }

/** Input for an open terminal, or for an agent at work. Each client numbers its input; a number is applied once. */
export const InboxMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("terminal_input"),
    pty: z.string(),
    client: z.string().min(1).max(64),
    client_seq: z.int().positive(),
    data: z.base64(),
  }),
  z.object({
    type: z.literal("terminal_resize"),
    pty: z.string(),
    client: z.string().min(1).max(64),
    rows: z.int().min(1).max(500),
    cols: z.int().min(1).max(500),
    /** Takes the size over from its owner. */
    take: z.boolean(),
  }),
  z.object({ type: z.literal("terminal_attached"), pty: z.string(), client: z.string().min(1).max(64) }),
  z.object({ type: z.literal("terminal_detached"), pty: z.string(), client: z.string().min(1).max(64) }),
  z.object({ type: z.literal("agent_message"), ...toAgent, content: z.string().min(1), source: z.string() }),
  z.object({ type: z.literal("agent_interrupt"), ...toAgent }),
  /** A person continues in the agent's own screen, in the same native session, until they hand back. */
  z.object({ type: z.literal("agent_take_over"), ...toAgent }),
  z.object({ type: z.literal("agent_hand_back"), ...toAgent }),
])
export type InboxMessage = z.infer<typeof InboxMessage>

/** An event of a runner's inbox. Its successor closes it with the last: what a sender adds later would reach nobody. */
export type InboxEvent = InboxMessage | { type: "inbox_closed" }
