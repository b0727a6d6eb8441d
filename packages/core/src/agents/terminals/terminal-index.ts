import * as z from "zod"
import { AppError } from "../../errors.ts"
import type { EventOf } from "../../events.ts"
import { readHistoryBack } from "../../kernel/history.ts"
import { incarnationBlobs } from "../../kernel/keys.ts"
import type { SessionHandle } from "../../kernel/session-handle.ts"
import type { Log } from "../../log/log.ts"
import type { Records } from "../../storage/records.ts"
import { isEnded, runOf } from "../../work/runs/state.ts"
import { isOpen } from "./open-terminals.ts"

interface Deps {
  log: Log
  records: Records
}

/** Terminal as shown in the API. */
export const TerminalView = z
  .object({
    pty: z.string(),
    kind: z.enum(["driver", "tui", "shell"]).describe("Who controls the program: the product (driver) or a person"),
    title: z.string(),
    rows: z.int(),
    cols: z.int(),
    open: z.boolean(),
    opened_at: z.iso.datetime(),
    run_id: z.string().nullable(),
    exit_code: z.number().nullable(),
    has_recording: z.boolean(),
  })
  .meta({ id: "Terminal" })
export type TerminalView = z.infer<typeof TerminalView>

/** A terminal, with the key of its recording. */
export interface IndexedTerminal {
  view: TerminalView
  /** Sequence number of the event that opened the terminal. */
  openedSeq: number
  recording: string | null
}

/** Lists a session's terminals, oldest first. */
export async function listTerminals(
  deps: Deps,
  session: SessionHandle,
  options: { signal: AbortSignal },
): Promise<IndexedTerminal[]> {
  return (await Array.fromAsync(terminalsNewestFirst(deps, session, options))).reverse()
}

/** Yields a session's terminals, newest first. Reads the log back only as far as needed. */
export async function* terminalsNewestFirst(
  deps: Deps,
  session: SessionHandle,
  options: { signal: AbortSignal },
): AsyncGenerator<IndexedTerminal> {
  const closed = new Map<string, EventOf<"terminal_closed">>()
  for await (const event of readHistoryBack(deps, session, "terminals", options)) {
    if (event.type === "terminal_opened") yield toIndexedTerminal(session, event, closed.get(event.pty))
    else if (!closed.has(event.pty)) closed.set(event.pty, event)
  }
}

/**
 * Returns the terminals opened after `seq`, in order. They are preceded by the terminal that was the newest at `seq`.
 */
export async function terminalsSince(
  deps: Deps,
  session: SessionHandle,
  seq: number,
  options: { signal: AbortSignal },
): Promise<IndexedTerminal[]> {
  const known: IndexedTerminal[] = []
  for await (const terminal of terminalsNewestFirst(deps, session, options)) {
    known.unshift(terminal)
    if (terminal.openedSeq <= seq) break
  }
  return known
}

/** Returns the terminal with this ID. Throws `not_found` if the session never had such a terminal. */
export async function findTerminal(
  deps: Deps,
  session: SessionHandle,
  pty: string,
  options: { signal: AbortSignal },
): Promise<IndexedTerminal> {
  for await (const known of terminalsNewestFirst(deps, session, options)) if (known.view.pty === pty) return known
  throw new AppError("not_found", "This session has no terminal with this id.")
}

function toIndexedTerminal(
  { sid, state }: SessionHandle,
  opened: EventOf<"terminal_opened">,
  closed: EventOf<"terminal_closed"> | undefined,
): IndexedTerminal {
  const { pty, kind, title, rows, cols, ts, run_id = null } = opened
  // A cancelled run appends no more events, so the event that closes its terminal is missing. Therefore, count the
  // terminals of an ended run as closed.
  const run = run_id === null ? undefined : runOf(state, run_id)
  const over = run_id !== null && (!run || isEnded(run))
  const open = isOpen(state.runner, pty) && !over
  // The key comes from a runner, so only trust it if it belongs to that runner's session.
  const own = closed?.recording?.startsWith(incarnationBlobs(sid, state.session.incarnation)) ? closed.recording : null
  const end = { exit_code: closed?.exit_code ?? null, has_recording: own !== null }
  return {
    view: { pty, kind, title, rows, cols, open, opened_at: ts, run_id, ...end },
    openedSeq: opened.seq,
    recording: own,
  }
}
