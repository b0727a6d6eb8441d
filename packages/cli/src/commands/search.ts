import { FoundMessages } from "@switchyard/core/sessions/schema"
import type { Cli } from "../cli.ts"

/**
 * Searches all sessions for messages that contain these words. Prints each message with its session ID. Ctrl-C stops
 * the search.
 */
export async function search(cli: Cli, words: string[]): Promise<void> {
  const { api, terminal } = cli
  let before: string | undefined
  let count = 0
  do {
    const query = { q: words.join(" "), before }
    const { messages, next } = await api.ask("GET /api/v1/search", FoundMessages, { query })
    for (const message of messages) {
      const { session_id, ts, session_name, excerpt } = message
      terminal.show(message, `${session_id}  ${ts}  ${session_name}`, `  ${excerpt}`)
    }
    count += messages.length
    before = next ?? undefined
  } while (before !== undefined)
  if (count === 0 && !terminal.json) terminal.notice("No messages contain these words.")
}
