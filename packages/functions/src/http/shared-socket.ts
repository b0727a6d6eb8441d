import { openTerminal } from "@switchyard/core/agents/runner/inboxes"
import type { InboxMessage } from "@switchyard/core/agents/terminals/schema"
import { AppError } from "@switchyard/core/errors"
import type { Principal } from "@switchyard/core/people/access/schema"
import { parseJson } from "@switchyard/core/text/parse-json"
import * as z from "zod"
import { errorEnvelope } from "./errors.ts"
import { type SharedStreamDeps, type StreamSource, sharedFrames } from "./shared-stream.ts"
import type { SocketClient } from "./socket.ts"

const Viewer = {
  /** Number that the client gave to this message. The reply repeats it. */
  request: z.int().min(0),
  session: z.string().max(600),
  pty: z.string().max(100),
  client: z.string().regex(/^[\w.-]{1,64}$/),
}

/** A client's message on the shared socket. It contains the same data as a terminal viewer's POST request. */
const SharedClientMessage = z.discriminatedUnion("type", [
  z.object({ ...Viewer, type: z.literal("input"), client_seq: z.int().positive(), data: z.base64().max(1_000_000) }),
  z.object({
    ...Viewer,
    type: z.literal("resize"),
    rows: z.int().min(1).max(500),
    cols: z.int().min(1).max(500),
    take: z.boolean().default(false),
  }),
])

export type SharedMessage =
  /** Sent first. All later messages come from the client's sources. */
  | { type: "ready" }
  /** A frame of the shared stream. `data` is the same as in the source's own stream. */
  | { type: "frame"; event: string; data: unknown }
  | { type: "ping" }
  | { type: "accepted"; request: number }
  | { type: "refused"; request: number | null; error: unknown }

/** Minimum interval between pings. One ping serves all sources that have nothing to send. */
const PING_EVERY_MS = 10_000

/**
 * Creates a client of the shared socket. The client receives the shared stream, and a reply to each input once that
 * input is delivered. Inputs are numbered in the same way as in POST requests. After a dropped connection, the client
 * can therefore resend an input by socket or by POST, and it is typed only once.
 */
export function createSharedSocketClient(
  deps: SharedStreamDeps,
  principal: Principal,
  sources: readonly StreamSource[],
): SocketClient<SharedMessage> {
  const { clock, report, config, stopping } = deps
  const options = { signal: stopping }
  let queue: Promise<unknown> = Promise.resolve()

  async function handle(text: string): Promise<SharedMessage> {
    const sent = parseJson(text)
    const { request = null } = Numbered.safeParse(sent).data ?? {}
    try {
      const parsed = SharedClientMessage.safeParse(sent)
      if (!parsed.success) throw new AppError("validation_error", "The message has an unknown type or invalid fields.")
      await deliver(parsed.data)
      return { type: "accepted", request: parsed.data.request }
    } catch (error) {
      const { error: refusal } = errorEnvelope(error, { report, stopping, verbose: config.verboseErrors })
      return { type: "refused", request, error: refusal }
    }
  }

  async function deliver({ session: id, ...message }: z.infer<typeof SharedClientMessage>): Promise<void> {
    if (!principal.scopes.includes("run"))
      throw new AppError("forbidden", "This requires a token with the scope `run`.")
    const session = await deps.sessions.find(principal.owner, id, options)
    const { client, pty: named } = message
    const pty = openTerminal(session, named)
    const inbox: InboxMessage =
      message.type === "input"
        ? { type: "terminal_input", pty, client, client_seq: message.client_seq, data: message.data }
        : { type: "terminal_resize", pty, client, rows: message.rows, cols: message.cols, take: message.take }
    await deps.inboxes.send(session, [inbox], options)
  }

  return {
    receive(text) {
      const replies = queue.then(async () => [await handle(text)])
      queue = replies
      return replies
    },
    async *frames({ signal }) {
      yield { type: "ready" }
      let pingedAt = Number.NEGATIVE_INFINITY
      for await (const frame of sharedFrames(deps, principal.owner, sources, signal)) {
        if (frame !== "quiet") yield { type: "frame", event: frame.event, data: frame.data }
        else if (clock.monotonic() - pingedAt >= PING_EVERY_MS) {
          pingedAt = clock.monotonic()
          yield { type: "ping" }
        }
      }
    },
  }
}

const Numbered = z.object({ request: z.int().min(0) })
