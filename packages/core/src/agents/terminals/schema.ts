import * as z from "zod"
import { AgentId } from "../conversations/schema.ts"

const offset = z.int().nonnegative().describe("Number of output bytes before this event")
const size = { rows: z.int().positive(), cols: z.int().positive() }

/** Event in a terminal's log. If there is a gap between offsets, a snapshot replaces the missing bytes. */
export const TerminalEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("terminal_bytes"),
    offset,
    bytes: z.base64(),
    /** Sequence number of the last event in the session's log before these bytes. */
    after: z.int().nonnegative(),
  }),
  z.object({
    type: z.literal("terminal_snapshot"),
    offset,
    ...size,
    /** Text that, drawn on an empty terminal of this size, produces the terminal's state at `offset`. */
    screen: z.string(),
    /**
     * Sequence number of the last event in the session's log before the byte that precedes `offset`. Absent in logs
     * from earlier versions.
     */
    after: z.int().nonnegative().optional(),
  }),
  z.object({ type: z.literal("terminal_resized"), offset, ...size }),
  z.object({ type: z.literal("terminal_ended"), offset, exit_code: z.int().nullable() }),
])
export type TerminalEvent = z.infer<typeof TerminalEvent>

/** Frame for a viewer. Viewers must apply frames in order. `offset` is the viewer's position after the frame. */
export type TerminalFrame =
  /** Start with an empty terminal of this size, then draw the text in `screen`. */
  | { type: "snapshot"; offset: number; rows: number; cols: number; screen: string; after: number }
  | { type: "bytes"; offset: number; bytes: Uint8Array; after: number }
  /** Apply this size only once everything before it has been drawn. */
  | { type: "resized"; offset: number; rows: number; cols: number; after: number }
  | { type: "ended"; offset: number; exitCode: number | null; after: number }

/** Agent that receives a message. Omitted for `main`. */
const toAgent = { agent_id: AgentId.optional() }

/**
 * Input for an open terminal or a running agent. Clients number their messages, so that each message is applied only
 * once.
 */
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
    /** True to take over the terminal's size from another client. */
    take: z.boolean(),
  }),
  z.object({ type: z.literal("terminal_attached"), pty: z.string(), client: z.string().min(1).max(64) }),
  z.object({ type: z.literal("terminal_detached"), pty: z.string(), client: z.string().min(1).max(64) }),
  z.object({ type: z.literal("agent_message"), ...toAgent, content: z.string().min(1), source: z.string() }),
  z.object({ type: z.literal("agent_interrupt"), ...toAgent }),
  /**
   * Lets a person continue the same native session in the agent's interactive UI, until the person hands the session
   * back.
   */
  z.object({ type: z.literal("agent_take_over"), ...toAgent }),
  z.object({ type: z.literal("agent_hand_back"), ...toAgent }),
])
export type InboxMessage = z.infer<typeof InboxMessage>

/**
 * Event in a runner's inbox. The runner's successor appends `inbox_closed`, so that senders don't keep sending messages
 * to a runner that can't read them.
 */
export type InboxEvent = InboxMessage | { type: "inbox_closed" }
