import { locate } from "@switchyard/client/request"
import type { EventSourceMessage } from "eventsource-parser"
import * as z from "zod"
import { Unreachable } from "../errors/errors.ts"
import { openStream, reconnecting, type StreamDeps } from "./stream.ts"

const Frame = z.discriminatedUnion("event", [
  z.object({ event: z.literal("snapshot"), data: z.object({ screen: z.string() }) }),
  z.object({ event: z.literal("bytes"), data: z.object({ data: z.base64() }) }),
  z.object({ event: z.literal("resized") }),
  z.object({ event: z.literal("ended"), data: z.object({ exit_code: z.number().nullable() }) }),
])

export interface ShownTerminal {
  sessionId: string
  pty: string
  client: string
  write: (bytes: Uint8Array | string) => void
}

/** Resets the terminal. Written before a snapshot is drawn. */
const RESET = "\u001bc"

/**
 * Draws a terminal as it changes, and reconnects after interruptions. Returns the exit code of the program in the
 * terminal, or null if it is unknown.
 */
export async function followTerminal(
  deps: StreamDeps,
  { sessionId, pty, client, write }: ShownTerminal,
  signal: AbortSignal,
): Promise<number | null> {
  const { path } = locate("GET /api/v1/sessions/{id}/terminals/{pty}/stream", {
    path: { id: sessionId, pty },
    query: { client },
  })
  let lastId: string | undefined
  const read = async () => {
    for await (const message of openStream(deps, path, lastId, { signal })) {
      if (message === "over") return null
      const frame = parse(message)
      lastId = message.id ?? lastId
      if (frame.event === "snapshot") write(`${RESET}${frame.data.screen}`)
      if (frame.event === "bytes") write(Buffer.from(frame.data.data, "base64"))
      if (frame.event === "ended") return frame.data.exit_code
    }
    return undefined
  }
  return reconnecting(deps, read, { signal })
}

function parse({ event, data }: EventSourceMessage): z.infer<typeof Frame> {
  try {
    return Frame.parse({ event, data: JSON.parse(data) })
  } catch (error) {
    throw new Unreachable("The stream is malformed.", { cause: error })
  }
}
