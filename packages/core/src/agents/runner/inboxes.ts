import { AppError } from "../../errors.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { InboxMessage } from "../terminals/schema.ts"
import { createInboxSender, type InboxDeps, type InboxSender } from "./inbox.ts"

/** Sends messages to the runner that currently serves a session. */
export interface Inboxes {
  /** Throws `terminal_invalid` if there is no runner. */
  send(session: SessionHandle, messages: InboxMessage[], options: { signal: AbortSignal }): Promise<void>
}

/**
 * Maximum number of cached senders, one per inbox. Senders are cached because a new one has to read its inbox from the
 * beginning.
 */
const KEPT = 200

export function createInboxes(deps: InboxDeps & { writer: string }): Inboxes {
  const senders = new Map<string, InboxSender>()

  function senderOf({ sid, state }: SessionHandle): InboxSender {
    const { generation, executor } = state.runner
    if (executor === null) throw noTerminal()
    const place = { sid, incarnation: state.session.incarnation, generation, writer: deps.writer }
    const name = `${sid} ${place.incarnation} ${generation}`
    const sender = senders.get(name) ?? createInboxSender(deps, place)
    // Move the sender to the end, so that the first sender is always the least recently used.
    senders.delete(name)
    senders.set(name, sender)
    if (senders.size > KEPT) senders.delete(senders.keys().next().value ?? "")
    return sender
  }

  return { send: (session, messages, options) => senderOf(session).send(messages, options) }
}

/**
 * Returns the terminal with this name. Without a name, returns the newest terminal of an agent, or the newest of all
 * terminals if no agent has one. Throws `terminal_invalid` if no such terminal is open.
 */
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
