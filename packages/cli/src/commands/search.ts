import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"

/** Prints messages of all sessions that contain these words, with their session ids. Ctrl-C stops the search. */
export async function search(cli: Cli, words: string[]): Promise<number> {
  const { api, terminal, interrupts } = cli
  let before: string | undefined
  let count = 0
  do {
    const { messages, next } = await api.search(words.join(" "), { before, signal: interrupts.first })
    for (const message of messages) {
      if (terminal.json) terminal.printJson(message)
      else {
        terminal.print(`${message.session_id}  ${message.ts}  ${message.session_name}`)
        terminal.print(`  ${message.excerpt}`)
      }
    }
    count += messages.length
    before = next ?? undefined
  } while (before !== undefined)
  if (count === 0 && !terminal.json) terminal.notice("No message contains these words.")
  return EXIT.done
}
