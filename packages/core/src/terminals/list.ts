import * as z from "zod"
import { AppError } from "../errors.ts"
import type { Log } from "../events/log.ts"
import { incarnationBlobs, logName } from "../sessions/keys.ts"
import type { FoundSession } from "../sessions/listing.ts"
import { isEnded, runOf } from "../sessions/state.ts"

/** A terminal as the API shows it. */
export const TerminalView = z
  .object({
    pty: z.string(),
    kind: z.enum(["driver", "tui", "shell"]).describe("Who speaks with the program: the product, or a person"),
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

/** A terminal, and the key of its recording. */
export interface KnownTerminal {
  view: TerminalView
  /** The event that opened it. */
  openedSeq: number
  recording: string | null
}

/** Every terminal of a session, in the order in which they were opened. */
export async function listTerminals(
  { log }: { log: Log },
  { sid, state }: FoundSession,
  options: { signal: AbortSignal },
): Promise<KnownTerminal[]> {
  const terminals = new Map<string, KnownTerminal>()
  for await (const event of log.read(logName(sid), (state.since?.seq ?? 1) - 1, options)) {
    if (event.type === "terminal_opened") {
      const { pty, kind, title, rows, cols, ts, run_id = null } = event
      const run = run_id === null ? undefined : runOf(state, run_id)
      // Of a run that was cancelled nothing more is said, be it that its terminal is gone.
      const open = state.runner.terminals.includes(pty) && !(run && isEnded(run))
      const view = { pty, kind, title, rows, cols, open, opened_at: ts, run_id, exit_code: null, has_recording: false }
      terminals.set(pty, { view, openedSeq: event.seq, recording: null })
    }
    if (event.type !== "terminal_closed") continue
    const known = terminals.get(event.pty)
    if (!known) continue
    // Written by a runner, and so believed only within its own session.
    const own = event.recording?.startsWith(incarnationBlobs(sid, state.incarnation)) ? event.recording : null
    terminals.set(event.pty, {
      ...known,
      view: { ...known.view, exit_code: event.exit_code, has_recording: own !== null },
      recording: own,
    })
  }
  return [...terminals.values()]
}

/** The terminal of this id. Throws `not_found` if the session never had it. */
export async function findTerminal(
  deps: { log: Log },
  session: FoundSession,
  pty: string,
  options: { signal: AbortSignal },
): Promise<KnownTerminal> {
  const known = (await listTerminals(deps, session, options)).find(({ view }) => view.pty === pty)
  if (known) return known
  throw new AppError("not_found", "There is no such terminal in this session.")
}
