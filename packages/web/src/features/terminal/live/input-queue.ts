import type { Api } from "../../../api/client.ts"
import { anything } from "../../../api/shape.ts"

/** The terminal of a session. */
export interface TerminalPath {
  id: string
  pty: string
}

/** At most that in one request, three bytes each and then in base64: below what the API takes. */
const MAX_CHARACTERS = 200_000

/**
 * What is typed, sent in its order: one request at a time, and what comes meanwhile goes along with the next. Each has a number,
 * so one that is sent again after a lost answer is typed once. Where one can't be sent, what waits behind it is dropped: a
 * paste with a hole in its middle is worse than its beginning.
 */
export function createInputQueue(api: Api, path: TerminalPath, client: string, failed: (error: unknown) => void) {
  let waiting = ""
  let sending = false
  let sent = 0

  async function send(): Promise<void> {
    sending = true
    try {
      while (waiting !== "") {
        const piece = firstPiece(waiting)
        waiting = waiting.slice(piece.length)
        sent += 1
        const body = { client, client_seq: sent, data: base64(piece) }
        const ask = () => api.call("POST /api/v1/sessions/{id}/terminals/{pty}/input", { path, body, answer: anything })
        await ask().catch(ask)
      }
    } catch (error) {
      waiting = ""
      failed(error)
    } finally {
      sending = false
    }
  }

  return (typed: string) => {
    waiting += typed
    if (!sending) send()
  }
}

/** Never cut within a character. */
function firstPiece(text: string): string {
  const last = text.charCodeAt(MAX_CHARACTERS - 1)
  const isHalf = last >= 0xd800 && last < 0xdc00
  return text.slice(0, isHalf ? MAX_CHARACTERS - 1 : MAX_CHARACTERS)
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text)
  // A function takes only so many arguments.
  const parts = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, index) =>
    String.fromCharCode(...bytes.subarray(index * 8192, (index + 1) * 8192)),
  )
  return btoa(parts.join(""))
}
