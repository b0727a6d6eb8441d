import { AppError } from "../../errors.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { InboxMessage } from "../terminals/schema.ts"
import { createInboxSender, type InboxDeps, type InboxSender } from "./inbox.ts"

/** Sends to whichever runner serves a session now. */
export interface Inboxes {
  /** Throws `terminal_invalid` where there is no runner. */
  send(session: SessionHandle, messages: InboxMessage[], options: { signal: AbortSignal }): Promise<void>
}

/** One sender an inbox is kept, for a new one reads it from its beginning. */
const KEPT = 200

export function createInboxes(deps: InboxDeps & { writer: string }): Inboxes {
  const senders = new Map<string, InboxSender>()

  function senderOf({ sid, state }: SessionHandle): InboxSender {
    const { generation, executor } = state.runner
    if (executor === null) throw noTerminal()
    const place = { sid, incarnation: state.session.incarnation, generation, writer: deps.writer }
    const name = `${sid} ${place.incarnation} ${generation}`
    const sender = senders.get(name) ?? createInboxSender(deps, place)
    // Put anew, so that the first is the one that was used least lately.
    senders.delete(name)
    senders.set(name, sender)
    if (senders.size > KEPT) senders.delete(senders.keys().next().value ?? "")
    return sender
  }

  return { send: (session, messages, options) => senderOf(session).send(messages, options) }
}

/** The terminal that is meant where none is named: an agent's, and of several the one that was opened last. Throws `terminal_invalid` if none is open. */
export function openTerminal({ state }: SessionHandle, named?: string): string {
  const { terminals, executor } = state.runner
  const terminal =
    named === undefined
      ? (terminals.findLast(({ runId }) => runId !== null) ?? terminals.at(-1))
      : terminals.find(({ pty }) => pty === named)
  if (executor === null || !terminal) throw noTerminal()
  return terminal.pty
}

function noTerminal(): AppError {
  return new AppError("terminal_invalid", "No active PTY session.")
}
