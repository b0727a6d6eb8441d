import { locate } from "@switchyard/client/request"
import { TurnResult } from "@switchyard/core/work/chat/schema"
import * as z from "zod"
import type { Cli } from "../cli.ts"
import { isRefusal } from "../errors/errors.ts"
import type { Interrupts } from "../input/interrupts.ts"
import { openStream, parseFrame, reconnecting } from "../streams/stream.ts"

const Chunk = z.object({ content: z.string() })
const Complete = z.object({ result: TurnResult.loose() })

interface Turn {
  sessionId: string
  requestId: string
}

/**
 * Follows a turn until it has a result, and reconnects after interruptions. `onText` receives the complete answer so
 * far. The first interrupt stops the turn and waits for its result. Throws on the second interrupt.
 */
export async function followTurn(
  cli: Cli,
  turn: Turn,
  { first, second, onText }: Interrupts & { onText: (content: string) => void },
): Promise<TurnResult> {
  const over = new AbortController()
  const signal = AbortSignal.any([second, over.signal])
  const stop = () => {
    cli.terminal.notice("Stopping. Press Ctrl-C again to leave.")
    stopTurn(cli, turn, { signal }).catch((error) => over.abort(error))
  }
  if (first.aborted) stop()
  else first.addEventListener("abort", stop, { once: true, signal: over.signal })
  try {
    return await readTurn(cli, turn, { signal, onText })
  } finally {
    over.abort()
  }
}

async function stopTurn({ api }: Cli, { sessionId: id, requestId: request }: Turn, options: { signal: AbortSignal }) {
  try {
    const asked = { path: { id, request }, ...options }
    await api.ask("POST /api/v1/sessions/{id}/chat/{request}/cancel", z.unknown(), asked)
  } catch (error) {
    // `not_found` means that the turn had already ended.
    if (!isRefusal(error, "not_found")) throw error
  }
}

async function readTurn(
  cli: Cli,
  { sessionId, requestId }: Turn,
  { signal, onText }: { signal: AbortSignal; onText: (content: string) => void },
): Promise<TurnResult> {
  const place = { path: { id: sessionId }, query: { request_id: requestId } }
  const { path } = locate("GET /api/v1/sessions/{id}/chat/stream", place)
  const read = async () => {
    // Each chunk contains the complete text, so a new connection can start from the beginning of the turn.
    for await (const frame of openStream(cli, path, undefined, { signal })) {
      if (frame === "over") return undefined
      if (frame.event === "streamChunk") onText(parseFrame(Chunk, frame.data).content)
      if (frame.event === "streamComplete") return parseFrame(Complete, frame.data).result
    }
    return undefined
  }
  return reconnecting(cli, read, { signal })
}
