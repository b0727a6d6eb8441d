import { randomUUID } from "node:crypto"
import { openTerminal } from "@switchyard/core/agents/runner/inboxes"
import { AppError } from "@switchyard/core/errors"
import type { SessionHandle } from "@switchyard/core/kernel/session-handle"
import type { Principal } from "@switchyard/core/people/access/schema"
import { followMerged, type MergedCursor } from "@switchyard/core/sessions/merged-stream"
import { endsRun } from "@switchyard/core/work/runs/schema"
import { activeRuns } from "@switchyard/core/work/runs/state"
import * as z from "zod"
import type { AppDeps } from "../deps.ts"
import { completion, terminalData } from "./session-stream.ts"

/** A message of a client over a session's socket. */
const FromClient = z.discriminatedUnion("type", [
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
export type FromClient = z.infer<typeof FromClient>

export interface ToClient {
  type: "terminal" | "event" | "complete" | "error" | "ping" | "pong" | "status" | "resync"
  session_id: string
  data: Record<string, unknown>
}

/** One client of a session's socket, whatever carries it. */
export interface SocketClient {
  /** Does what the client says, one after the other, and resolves to what it is told at once. */
  hear(text: string): Promise<ToClient[]>
  /** Everything else that it is told, in order. */
  frames(cursor: MergedCursor, options: { signal: AbortSignal }): AsyncGenerator<ToClient>
}

export function createSocketClient(deps: AppDeps, principal: Principal, sessionId: string): SocketClient {
  const client = `ws-${randomUUID()}`
  const options = { signal: deps.stopping }
  const find = (): Promise<SessionHandle> => deps.sessions.find(principal.owner, sessionId, options)
  const say = (type: ToClient["type"], data: Record<string, unknown>): ToClient => ({
    type,
    session_id: sessionId,
    data,
  })
  let typed = 0
  let last: Promise<unknown> = Promise.resolve()

  async function answer(text: string): Promise<ToClient[]> {
    try {
      const message = read(text)
      if (message.type === "ping") return [say("pong", { ts: new Date(deps.clock.now()).toISOString() })]
      if (!principal.scopes.includes("run")) throw new AppError("forbidden", "This takes a token with the scope `run`.")
      return await act(message, await find())
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return [say("error", { error: error.message, code: error.code })]
    }
  }

  async function act(message: Exclude<FromClient, { type: "ping" }>, session: SessionHandle): Promise<ToClient[]> {
    if (message.type === "cancel") {
      const active = activeRuns(session.state)
      for (const { runId } of active) await deps.runs.cancel(principal.owner, runId, "asked for", options)
      return [say("status", { cancel_requested: active.length > 0 })]
    }
    const pty = openTerminal(session)
    if (message.type === "resize") {
      const { rows, cols, take } = message
      await deps.inboxes.send(session, [{ type: "terminal_resize", pty, client, rows, cols, take }], options)
      return []
    }
    typed = message.client_seq ?? typed + 1
    const input = { type: "terminal_input" as const, pty, client, client_seq: typed, data: message.data }
    await deps.inboxes.send(session, [input], options)
    return []
  }

  async function* frames(cursor: MergedCursor, { signal }: { signal: AbortSignal }): AsyncGenerator<ToClient> {
    for await (const told of followMerged(deps, await find(), cursor, { signal, client })) {
      if (told === "quiet") yield say("ping", { ts: new Date(deps.clock.now()).toISOString() })
      else if (told === "resync") yield say("resync", {})
      else if ("event" in told) {
        const { event } = told
        yield say("event", { ...event, cursor: told.id })
        if (event.run_id && endsRun(event)) yield say("complete", completion(event.run_id, event.type, event.seq))
      } else yield say("terminal", { ...terminalData(told), cursor: told.id })
    }
  }

  return {
    hear(text) {
      const heard = last.then(() => answer(text))
      last = heard.catch(() => undefined)
      return heard
    },
    frames,
  }
}

function read(text: string): FromClient {
  const message = FromClient.safeParse(parseJson(text))
  if (message.success) return message.data
  throw new AppError("validation_error", "There is no such message, or not with these fields.")
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError("validation_error", "Invalid JSON")
  }
}
