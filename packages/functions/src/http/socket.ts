import { randomUUID } from "node:crypto"
import { openTerminal } from "@switchyard/core/agents/runner/inboxes"
import type { ViewerDeps } from "@switchyard/core/agents/runner/viewers"
import { AppError } from "@switchyard/core/errors"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import type { Principal } from "@switchyard/core/people/access/schema"
import { followMerged, type MergedCursor } from "@switchyard/core/sessions/events/merged-stream"
import { endsRun } from "@switchyard/core/work/runs/schema"
import { activeRuns } from "@switchyard/core/work/runs/state"
import * as z from "zod"
import type { AppDeps } from "../deps.ts"
import { completionData, terminalData } from "./session-stream.ts"

/** A client's message on a session's socket. */
const ClientMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("input"), data: z.base64().max(1_000_000), client_seq: z.int().positive().optional() }),
  z.object({
    type: z.literal("resize"),
    rows: z.int().min(1).max(500).default(24),
    cols: z.int().min(1).max(500).default(80),
    take: z.boolean().default(false),
  }),
  z.object({ type: z.literal("cancel") }),
  z.object({ type: z.literal("ping") }),
])
export type ClientMessage = z.infer<typeof ClientMessage>

export interface ServerMessage {
  type: "terminal" | "event" | "complete" | "error" | "ping" | "pong" | "status" | "resync"
  session_id: string
  data: Record<string, unknown>
}

/** Client of a session's socket, over any transport. */
export interface SocketClient<Message = ServerMessage> {
  /** Handles the client's messages one at a time. Resolves to the replies that are available immediately. */
  receive(text: string): Promise<Message[]>
  /** Yields all messages for the client in order, except replies. */
  frames(options: { signal: AbortSignal }): AsyncGenerator<Message>
}

export type SocketDeps = ViewerDeps & Pick<AppDeps, "clock" | "runs" | "sessions">

/**
 * Creates a client that starts from `cursor`. `client` names the viewer, for transports that handle messages and frames
 * in separate processes.
 */
export function createSocketClient(
  deps: SocketDeps,
  principal: Principal,
  { id: sessionId, cursor }: { id: string; cursor: MergedCursor },
  { client = `ws-${randomUUID()}` }: { client?: string } = {},
): SocketClient {
  const options = { signal: deps.stopping }
  const find = (): Promise<SessionHandle> => deps.sessions.find(principal.owner, sessionId, options)
  const toMessage = (type: ServerMessage["type"], data: Record<string, unknown>): ServerMessage => ({
    type,
    session_id: sessionId,
    data,
  })
  let inputSeq = 0
  let queue: Promise<unknown> = Promise.resolve()

  async function handle(text: string): Promise<ServerMessage[]> {
    try {
      const message = parseMessage(text)
      if (message.type === "ping") return [toMessage("pong", { ts: new Date(deps.clock.now()).toISOString() })]
      if (!principal.scopes.includes("run"))
        throw new AppError("forbidden", "This requires a token with the scope `run`.")
      return await perform(message, await find())
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return [toMessage("error", { error: error.message, code: error.code })]
    }
  }

  async function perform(
    message: Exclude<ClientMessage, { type: "ping" }>,
    session: SessionHandle,
  ): Promise<ServerMessage[]> {
    if (message.type === "cancel") {
      const active = activeRuns(session.state)
      for (const { runId } of active) await deps.runs.cancel(principal.owner, runId, "asked for", options)
      return [toMessage("status", { cancel_requested: active.length > 0 })]
    }
    const pty = openTerminal(session)
    if (message.type === "resize") {
      const { rows, cols, take } = message
      await deps.inboxes.send(session, [{ type: "terminal_resize", pty, client, rows, cols, take }], options)
      return []
    }
    inputSeq = message.client_seq ?? inputSeq + 1
    const input = { type: "terminal_input" as const, pty, client, client_seq: inputSeq, data: message.data }
    await deps.inboxes.send(session, [input], options)
    return []
  }

  async function* frames({ signal }: { signal: AbortSignal }): AsyncGenerator<ServerMessage> {
    for await (const frame of followMerged(deps, await find(), cursor, { signal, client })) {
      if (frame === "quiet") yield toMessage("ping", { ts: new Date(deps.clock.now()).toISOString() })
      else if (frame === "resync") yield toMessage("resync", {})
      else if ("event" in frame) {
        const { event } = frame
        yield toMessage("event", { ...event, cursor: frame.id })
        if (event.run_id && endsRun(event))
          yield toMessage("complete", completionData(event.run_id, event.type, event.seq))
      } else yield toMessage("terminal", { ...terminalData(frame), cursor: frame.id })
    }
  }

  return {
    receive(text) {
      const replies = queue.then(() => handle(text))
      queue = replies.catch(() => undefined)
      return replies
    },
    frames,
  }
}

function parseMessage(text: string): ClientMessage {
  const message = ClientMessage.safeParse(parseJson(text))
  if (message.success) return message.data
  throw new AppError("validation_error", "The message has an unknown type or invalid fields.")
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError("validation_error", "Invalid JSON")
  }
}
