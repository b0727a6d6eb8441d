import type { Cli } from "../cli.ts"
import { sanitizeLine } from "../output/sanitize.ts"
import { restore } from "./restore.ts"
import type { Conversation } from "./session.ts"

/**
 * Undoes the last message, its answer and their changes of files. In a repository that takes a moment; an interrupt
 * ends the wait, but not the rewind. Throws the reason of a failure.
 */
export async function undo(
  { cli, sessionId }: Conversation,
  _argument: string,
  options: { signal: AbortSignal },
): Promise<void> {
  const last = sessionId === undefined ? undefined : await lastMessage(cli, sessionId, options)
  if (sessionId === undefined || !last) return cli.terminal.notice("There is nothing to undo.")
  await restore(cli, { sessionId, kind: "rewind" }, () => cli.api.rewindChat(sessionId, last.seq - 1, options), options)
  cli.terminal.notice(`Undone: ${sanitizeLine(last.content.trimStart().split("\n", 1)[0] ?? "")}`)
}

async function lastMessage({ api }: Cli, sessionId: string, options: { signal: AbortSignal }) {
  const { messages } = await api.chat(sessionId, options)
  return messages.findLast(({ role, system_event }) => role === "user" && !system_event)
}
