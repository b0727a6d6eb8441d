import type { Cli } from "../cli.ts"
import { sanitizeLine } from "../output/sanitize.ts"
import { Begun, restore } from "./restore.ts"
import type { Conversation } from "./session.ts"

/**
 * Undoes the last message, its answer and the resulting changes to files. In a repository, this takes some time. An
 * interrupt ends only the wait, not the rewind. Throws `CliError` with the reason if the rewind fails.
 */
export async function undo(
  { cli, sessionId }: Conversation,
  _argument: string,
  options: { signal: AbortSignal },
): Promise<void> {
  const last = sessionId === undefined ? undefined : await lastMessage(cli, sessionId, options)
  if (sessionId === undefined || !last) return cli.terminal.notice("There is nothing to undo.")
  const asked = { path: { id: sessionId }, body: { to_seq: last.seq - 1, files: true }, ...options }
  const begin = () => cli.api.ask("POST /api/v1/sessions/{id}/chat/rewind", Begun, asked)
  await restore(cli, { sessionId, kind: "rewind" }, begin, options)
  cli.terminal.notice(`Undone: ${sanitizeLine(last.content.trimStart().split("\n", 1)[0] ?? "")}`)
}

async function lastMessage({ api }: Cli, sessionId: string, options: { signal: AbortSignal }) {
  const { messages } = await api.chat(sessionId, options)
  return messages.findLast(({ role, system_event }) => role === "user" && !system_event)
}
