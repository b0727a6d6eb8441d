import type { Api } from "../../api/client.ts"
import { anything } from "../../api/shape.ts"

/**
 * What is typed, sent in its order: one request at a time, and what comes meanwhile goes along with the next. Each has a number,
 * so one that is sent again after a lost answer is typed once.
 */
export function createKeystrokes(api: Api, path: string, client: string, failed: (error: unknown) => void) {
  let waiting = ""
  let sending = false
  let sent = 0

  async function send(): Promise<void> {
    sending = true
    while (waiting !== "") {
      const data = base64(waiting)
      waiting = ""
      sent += 1
      const body = { client, client_seq: sent, data }
      const ask = () => api.send("POST", path, anything, { body })
      await ask().catch(ask).catch(failed)
    }
    sending = false
  }

  return (typed: string) => {
    waiting += typed
    if (!sending) send()
  }
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}
