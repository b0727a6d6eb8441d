import type { Api } from "../../../api/client.ts"
import { anything } from "../../../api/decode.ts"
import type { Streams } from "../../../session/connection/tab-streams.ts"

/** The terminal's parameters in API paths. */
export interface TerminalPath {
  id: string
  pty: string
}

/** Maximum per request: at three bytes per character, in base64, this stays below the API's limit. */
const MAX_CHARACTERS = 200_000

/**
 * Creates a queue that sends input in order: one message at a time, and everything typed meanwhile in the next. It uses
 * the streams' connection if that accepts input, else POST. Each message has a number, so that retrying after a lost
 * response, either way, doesn't type it twice. Text typed before the terminal is connected is held until it is. After a
 * failure, the rest is dropped, because a paste with a gap in the middle is worse than just its beginning.
 */
export function createInputQueue(
  { api, streams }: { api: Pick<Api, "call">; streams: Pick<Streams, "send"> },
  path: TerminalPath,
  client: string,
  failed: (error: unknown) => void,
) {
  let waiting = ""
  let connected = false
  let sending = false
  let sent = 0

  async function send(): Promise<void> {
    sending = true
    try {
      while (connected && waiting !== "") {
        const piece = firstPiece(waiting)
        waiting = waiting.slice(piece.length)
        sent += 1
        const body = { client, client_seq: sent, data: base64(piece) }
        const ask = () =>
          api.call("POST /api/v1/sessions/{id}/terminals/{pty}/input", { path, body, response: anything })
        const message = { type: "input" as const, session: path.id, pty: path.pty, ...body }
        if (!(await streams.send(message))) await ask().catch(ask)
      }
    } catch (error) {
      waiting = ""
      failed(error)
    } finally {
      sending = false
    }
  }

  return {
    type(text: string): void {
      waiting += text
      if (!sending) send()
    },
    /** Called when the terminal is connected, and when it no longer is. */
    connect(isConnected: boolean): void {
      connected = isConnected
      if (!sending) send()
    },
  }
}

/** Returns the first chunk of a text, without splitting a surrogate pair. */
function firstPiece(text: string): string {
  const last = text.charCodeAt(MAX_CHARACTERS - 1)
  const isHalf = last >= 0xd800 && last < 0xdc00
  return text.slice(0, isHalf ? MAX_CHARACTERS - 1 : MAX_CHARACTERS)
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  // A call can take only so many arguments.
  const parts = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, index) =>
    String.fromCharCode(...bytes.subarray(index * 8192, (index + 1) * 8192)),
  )
  return btoa(parts.join(""))
}
